import { queryOne } from "../../../core/database/query.ts";
import { internal } from "../../../core/declare/makers/internal.ts";
import { request } from "../../../core/request/context.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { statement } from "../../../core/sql/statement.ts";
import { formatDecimal } from "../../../core/values/money.ts";
import { service } from "../../../mixins/resource.ts";
import { onOrAfter } from "../days.ts";
import { hoursOf, periodStart } from "../projects/budgets/burn-down.ts";
import { companyHours } from "./company-hours.ts";
import { entryFilters, entryRows } from "./entries/entry.list.ts";

/** Entries in a company's panel (clients chapter §3.8). */
const IN_PANEL = 10;

/** Minutes on a company since a day, or of all time; running timers have none yet. */
const MINUTES = statement(`select coalesce(sum(e.minutes), 0)::float8 as minutes from time_entries e
  where e.organisation_id = $1 and e.company_id = $2 and ${onOrAfter("e", "$3::date")} and e.ended_at is not null`);

async function minutesOn(companyId: string, since: string | null): Promise<number> {
  const row = await queryOne<{ minutes: number }>(MINUTES, [request().organisation.id, companyId, since ?? "-infinity"]);
  return row?.minutes ?? 0;
}

export default service("time.company", {
  actions: {
    panel: internal({
      summary: "The latest hours of everyone on a company, and their sum",
      permission: "time.entry.read",
      contributes: { panel: { entity: "company", key: "time.company", position: 40 } },
      async handler(ctx) {
        const { company_id } = ctx.params;
        const [found, total_minutes] = await Promise.all([
          entryRows().page({ limit: IN_PANEL, count: false }, entryFilters({ company_id })),
          minutesOn(company_id, null),
        ]);
        return { items: (found.parse() as { items: object[] }).items, total_minutes };
      },
    }),

    hours: internal({
      summary: "Budgets and hours of companies",
      permission: "time.entry.read",
      contributes: { figures: "company.hours" },
      handler: (ctx) => companyHours(ctx.params.ids),
    }),

    tile: internal({
      summary: "Hours of this month",
      permission: "time.entry.read",
      contributes: { tile: { entity: "company", key: "time.month", position: 30 } },
      async handler(ctx) {
        const since = periodStart("monthly", organisationToday());
        const minutes = await minutesOn(ctx.params.company_id, since);
        return minutes > 0 ? { value: formatDecimal(hoursOf(minutes)), format: "hours" } : null;
      },
    }),
  },
});
