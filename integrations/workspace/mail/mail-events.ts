import { event } from "../../../core/declare/events.ts";
import { list, Type, uuid } from "../../../core/schema/schema.ts";

export const mailEvents = {
  "workspace.mail_gap": event(
    "workspace_connection",
    "A mailbox was not read for longer than the provider keeps its history: mail from that time may be missing. Recipients: its owner.",
    {
      email: Type.String({ description: "Address of the mailbox" }),
      gap_since: Type.String({ format: "date-time", description: "When the mailbox was last read before that, UTC" }),
      gap_day: Type.String({ format: "date", description: "The day of that moment in the organisation's zone" }),
      recipients: list(uuid()),
    },
  ),
};
