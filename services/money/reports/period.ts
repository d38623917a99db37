import { endOf, type IsoDate, startOf } from "../../../core/calendar/calendar.ts";
import { invalid } from "../../../core/errors/errors.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { date, optional } from "../../../core/schema/schema.ts";

/** The span of a report that is the current one unless it is asked for. */
type Span = "quarter" | "year";

/** The first and the last day of a report, both included. */
export interface ReportPeriod {
  from: IsoDate;
  to: IsoDate;
}

/** The query parameters of a report over a period. */
export const periodQuery = (span: Span) => ({
  from: optional({
    ...date(),
    description: `First day; absent for the first of the ${span} of \`to\`, or of the current ${span}`,
  }),
  to: optional({ ...date(), description: `Last day, included; absent for the last of the ${span} of \`from\`` }),
});

/** The period that was asked for. @throws 422 `to` for a last day before the first */
export function periodOf({ from, to }: { from?: IsoDate | undefined; to?: IsoDate | undefined }, span: Span): ReportPeriod {
  const first = from ?? startOf(span, to ?? organisationToday());
  const last = to ?? endOf(span, first);
  if (last < first) throw invalid({ to: "errors.validation" });
  return { from: first, to: last };
}
