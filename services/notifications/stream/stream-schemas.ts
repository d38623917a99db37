import { NotificationRead, UnreadCount } from "../inbox/notification-schemas.ts";

/** Events of an inbox stream: each row when it becomes visible, and the unread count, at first and after each change. */
export const InboxEvents = { notification: NotificationRead, unread: UnreadCount };
