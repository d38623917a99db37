import { daysBetween } from "../../../core/calendar/calendar.ts";
import { queryOne } from "../../../core/database/query.ts";
import { internal } from "../../../core/declare/makers/internal.ts";
import { request } from "../../../core/request/context.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { statement } from "../../../core/sql/statement.ts";
import { service } from "../../../mixins/resource.ts";
import { BILLABLE, BILLED } from "./billing-answer.ts";
import { domainFilters, domainRows } from "./domain.list.ts";

/** Domains in the panel of a company (clients chapter §3.8). */
const IN_PANEL = 5;
/** Days before a renewal from which the tile warns. */
const SOON = 30;

const RENEWAL = statement(`select min(t.next_invoice_date) as day from domains t
  where t.organisation_id = $1 and t.company_id = $2 and t.next_invoice_date >= $3::date and ${BILLABLE} and ${BILLED}`);

export default service("domains.company", {
  actions: {
    panel: internal({
      summary: "The first domains of a company, and how many there are",
      permission: "domains.domain.read",
      contributes: { panel: { entity: "company", key: "domains.company", position: 75 } },
      async handler(ctx) {
        const { company_id } = ctx.params;
        const found = await domainRows.page({ limit: IN_PANEL }, domainFilters({ company_id }));
        const { items, total } = found.parse() as { items: object[]; total: number };
        return { items, total };
      },
    }),

    tile: internal({
      summary: "When the first domain of a company is renewed",
      permission: "domains.domain.read",
      contributes: { tile: { entity: "company", key: "domains.renewal", position: 50 } },
      async handler(ctx) {
        const today = organisationToday();
        const found = await queryOne<{ day: string | null }>(RENEWAL, [request().organisation.id, ctx.params.company_id, today]);
        const day = found?.day ?? null;
        if (day === null) return null;
        const days = daysBetween(today, day);
        const tone = days <= SOON ? "warn" : "neutral";
        return { value: day, format: "date", tone, hint_key: "summary.domains.renewal.days", hint_params: { days } };
      },
    }),
  },
});
