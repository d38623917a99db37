import { event, type PayloadsOf } from "../../../core/declare/events.ts";
import { instant, integer, list, Type, uuid } from "../../../core/schema/schema.ts";
import { NAMED_REPORT } from "../events.ts";

const COUNT = (description: string) => integer(0, 2147483647, { description });
const trouble = {
  ...NAMED_REPORT,
  title: Type.String({ description: "The report's title with the client's name, as `Rapportage · Bakkerij Zon`" }),
  reason: Type.String({ description: "Why: the code of a warning" }),
  recipients: list(uuid()),
};

/** Events of a report's delivery (workspace-reporting §1.5). */
export const sendingEvents = {
  "report.sent": event("report", "A report was mailed to recipients who had not got it.", {
    ...NAMED_REPORT,
    sent_at: { ...instant(), description: "When it was mailed, UTC" },
    sent_count: COUNT("Recipients who have it by mail"),
    bounced_count: COUNT("Recipients whose address the mail server refused"),
  }),
  "report.failed": event("report", "A report could not be made; its client's responsible person is notified.", trouble),
  "report.held": event(
    "report",
    "A report is ready but was not mailed on schedule because a section failed. Recipients: its client's responsible person.",
    trouble,
  ),
};

declare module "../../../core/declare/events.ts" {
  interface EventPayloads extends PayloadsOf<typeof sendingEvents> {}
}
