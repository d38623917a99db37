/** Finished entries that share these three answers: how many, and their minutes together. */
export interface ReportGroup {
  readonly billable: boolean;
  readonly approved: boolean;
  readonly invoiced: boolean;
  readonly count: number;
  readonly minutes: number;
}

/** The totals of `/time/report` over the whole filtered set, in minutes (work chapter §4.5). */
export interface ReportTotals {
  readonly count: number;
  readonly minutes: number;
  readonly billable_minutes: number;
  readonly approved_minutes: number;
  readonly open_minutes: number;
  readonly to_invoice_minutes: number;
  readonly invoiced_minutes: number;
}

/**
 * The totals of a report from its at most eight groups: open is not approved; to invoice is approved, billable and not invoiced
 * (work chapter §4.5).
 */
export function reportTotals(groups: readonly ReportGroup[]): ReportTotals {
  const minutesOf = (counts: (group: ReportGroup) => boolean) =>
    groups.filter(counts).reduce((total, { minutes }) => total + minutes, 0);
  return {
    count: groups.reduce((total, { count }) => total + count, 0),
    minutes: minutesOf(() => true),
    billable_minutes: minutesOf(({ billable }) => billable),
    approved_minutes: minutesOf(({ approved }) => approved),
    open_minutes: minutesOf(({ approved }) => !approved),
    to_invoice_minutes: minutesOf(({ approved, billable, invoiced }) => approved && billable && !invoiced),
    invoiced_minutes: minutesOf(({ invoiced }) => invoiced),
  };
}
