import { event } from "../../../core/declare/events.ts";
import { choice, field, list, Type, uuid } from "../../../core/schema/schema.ts";

export const calendarEvents = {
  "workspace.event_restored": event(
    "workspace_connection",
    "A person changed an event of this service in their own calendar, and it was put back: its record decides. Recipients: that person.",
    {
      user_id: field(uuid(), "The person whose calendar it is"),
      title: Type.String({ description: "Title of the event" }),
      kind: choice(["leave", "availability", "schedule"], { description: "The kind of record that the event shows" }),
      recipients: list(uuid()),
    },
    { withheld: "a person's own calendar" },
  ),
};
