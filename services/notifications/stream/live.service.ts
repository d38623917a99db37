import type { Service } from "moleculer";
import { type EventWriter, eventStream } from "../../../core/declare/event-stream.ts";
import { stream } from "../../../core/declare/makers/stream.ts";
import { callerId } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { service } from "../../../mixins/resource.ts";
import { readCursor } from "./cursor.ts";
import { Hub, Listener, type Message } from "./hub.ts";
import { InboxEvents } from "./stream-schemas.ts";

type Live = Service & { hub: Hub };

/** Sends a listener's messages until the reader disconnects. */
async function relay(out: EventWriter<typeof InboxEvents>, listen: (deliver: (messages: Message[]) => void) => () => void) {
  const waiting: Message[] = [];
  let resume = () => {};
  const leave = listen((messages) => {
    waiting.push(...messages);
    resume();
  });
  out.signal.addEventListener("abort", () => resume(), { once: true });
  try {
    while (!out.signal.aborted) {
      const message = waiting.shift();
      if (message?.event === "notification") await out.send("notification", message.data, message.id);
      else if (message) await out.send("unread", message.data, message.id);
      else await new Promise<void>((resolve) => (resume = resolve));
    }
  } finally {
    leave();
  }
}

export default service("notifications.live", {
  created(this: Service & { hub?: Hub }) {
    this.hub = new Hub((error) => {
      const { message, cause } = error as Error;
      this.logger.warn(
        { event: "notifications.inboxes_not_read", reason: cause instanceof Error ? cause.message : message },
        "Reading the inboxes failed; their streams get the new rows later.",
      );
    });
  },

  actions: {
    stream: stream({
      rest: "GET /notifications/stream",
      verb: "stream",
      summary: "Stream your inbox",
      description:
        "Sends the number of unread rows, at first and after each change, and each row when it becomes visible. Rows from before the " +
        "stream are in the list. With `Last-Event-ID` it first sends the rows since then, up to 30 days back. It ends when the caller may " +
        "no longer read the inbox.",
      permission: "notifications.notification.read",
      streams: InboxEvents,
      handler(this: Live, ctx) {
        const { organisation } = ctx.meta;
        const account = callerId();
        const cursor = readCursor(request().lastEventId, Date.now());
        return eventStream<typeof InboxEvents>((out) =>
          relay(out, (deliver) => {
            if (account !== null) return this.hub.add(organisation, account, new Listener(cursor, deliver));
            // A service account has no inbox.
            deliver([{ event: "unread", data: { count: 0 }, id: "" }]);
            return () => {};
          }),
        );
      },
    }),
  },
});
