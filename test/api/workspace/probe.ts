import { action } from "../../../core/declare/action.ts";
import { prepared } from "../../../core/request/context.ts";
import { Type } from "../../../core/schema/schema.ts";
import { callGoogle, googleAccess } from "../../../mixins/google/client.ts";
import { connectionRefusal, ownConnection } from "../../../mixins/google/connection.ts";
import { GoogleFailure } from "../../../mixins/google/failure.ts";
import { service } from "../../../mixins/resource.ts";

/** The outcome of a call: Google's answer, or our failure unchanged. */
const outcome = (work: Promise<unknown>) =>
  work.then(
    (answer) => ({ answer }),
    (error: unknown) => {
      if (!(error instanceof GoogleFailure)) throw error;
      const refusal = connectionRefusal(error);
      if (refusal) throw refusal;
      const { kind, status, reason, retryAfter, message } = error;
      return { kind, status, reason, retryAfter, message, fields: Object.keys(error).sort() };
    },
  );

const events = async () =>
  callGoogle(googleAccess(await ownConnection()), { api: "calendar", operation: "events.list" }, (client) =>
    client.events.list({ calendarId: "primary", maxResults: 250 }),
  );
const insertion = async () =>
  callGoogle(googleAccess(await ownConnection()), { api: "calendar", operation: "events.insert" }, (client) =>
    client.events.insert({
      calendarId: "primary",
      requestBody: { summary: "Leave", start: { date: "2026-03-01" }, end: { date: "2026-03-02" } },
    }),
  );

/** Endpoints that only call Google as the caller, for tests of how that is done. */
export const probe = service("probe", {
  actions: {
    read: action({
      rest: "GET /probe/events",
      summary: "Read events",
      permission: "workspace.calendar.read",
      returns: Type.Unknown(),
      prepare: () => outcome(events()),
      handler: async () => prepared(),
    }),
    write: action({
      rest: "POST /probe/events",
      summary: "Write an event",
      permission: "workspace.calendar.read",
      returns: Type.Unknown(),
      acts: "outside",
      prepare: () => outcome(insertion()),
      handler: async () => prepared(),
    }),
  },
});
