import { event, type PayloadsOf } from "../../core/declare/events.ts";
import { REPORT_AUDIENCES } from "../../core/declare/report-sections.ts";
import { choice, date, integer, nullable, Type } from "../../core/schema/schema.ts";

const id = (description: string) => Type.String({ format: "uuid", description });
const day = (description: string) => ({ ...date(), description });

/** The fields that identify a report in events. */
export const NAMED_REPORT = {
  report_id: id("The report"),
  company_id: nullable(id("The client it is about; null once that is deleted")),
  company_name: Type.String({ description: "The client's name as the report prints it" }),
  audience: choice(REPORT_AUDIENCES, { description: "Audience: the client, or the organisation itself" }),
  period_start: day("First day of its period"),
  period_end: day("Last day of its period, counted too"),
};

/** Events of reports (workspace-reporting §1.5). */
export const reportEvents = {
  "report.ready": event("report", "A run of a report ended with a document; by schedule, by hand and again after changes.", {
    ...NAMED_REPORT,
    warning_count: integer(0, 2147483647, { description: "How many warnings the run left on it" }),
  }),
  "report.published": event("report", "A report for a client appeared in the client's portal.", NAMED_REPORT),
};

declare module "../../core/declare/events.ts" {
  interface EventPayloads extends PayloadsOf<typeof reportEvents> {}
}
