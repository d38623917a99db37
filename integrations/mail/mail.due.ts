import { runtime } from "../../core/config/runtime.ts";
import { oldRowsEverywhere } from "../../core/sql/old-rows.ts";

const mails = { table: "mails", age: "r.created_at" };
/** Longer than a mail can be queued: the least that an operator can choose. */
const ended = { ...mails, kept: "9 days", days: () => runtime().config.messagesDays };

/** Mail that nothing sends (conventions §19). */
export const storedMails = oldRowsEverywhere({ ...mails, kept: "24 hours", also: "r.status = 'kept'" });
export const sentMails = oldRowsEverywhere({ ...ended, also: "r.status = 'sent'" });
export const failedMails = oldRowsEverywhere({ ...ended, also: "r.status = 'failed'" });
