import { query } from "../../../../core/database/query.ts";
import { invalid, notFound, refusal } from "../../../../core/errors/errors.ts";
import { request } from "../../../../core/request/context.ts";
import type { Static } from "../../../../core/schema/schema.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { formatAmount } from "../../../../core/values/money.ts";
import { entryRate, RATE_COLUMNS, RATE_JOINS, type Rates } from "../../calculation/entry-rate.ts";
import { AMOUNT_LIMIT, isWithin } from "../../calculation/totals.ts";
import { BILLABLE } from "../claims/billable.ts";
import { type BilledEntry, hourLines } from "../claims/from-time-lines.ts";
import { ofClient, until } from "../claims/hours-to-invoice.ts";
import { MOST_LINES } from "../lines/line-schemas.ts";
import { partyFor } from "../parties/billed-party.ts";
import { createDraft } from "./drafting.ts";
import type { InvoiceFromTime } from "./invoice-schemas.ts";

/**
 * Locked in id order, like every claim: of two concurrent invoices, the second waits and gets the remaining hours. Returns the values of
 * the locked rows.
 */
const ENTRIES = statement(`with g as materialized (
    select t.id, t.user_id, t.project_id, t.minutes, t.work_date, t.started_at, t.description from time_entries t
     where t.organisation_id = $1 and ${BILLABLE} and ${ofClient("$2::uuid")} and ($3::uuid is null or t.project_id = $3)
       and ${until("$4")} order by t.id for update of t)
  select g.id, g.project_id, g.minutes, g.work_date, g.description, rp.name as project, ${RATE_COLUMNS}
    from g left join projects rp on rp.organisation_id = $1 and rp.id = g.project_id ${RATE_JOINS} order by g.started_at, g.id`);
const PROJECT = statement(`select 1 from projects p where p.organisation_id = $1 and p.id = $2
  and ($3::uuid[] is null or p.company_id is null or p.company_id in (select selected_companies($3::uuid[])))`);

/** @throws 404 for a project the caller does not see */
async function requireProject(id: string | null | undefined): Promise<void> {
  const { organisation, principal } = request();
  if (id && (await query(PROJECT, [organisation.id, id, principal?.selection ?? null])).length === 0) throw notFound();
}

/**
 * Drafts an invoice of a client's unbilled hours and claims them (money §8 "from-time").
 * @returns its id
 * @throws 404 for a client or project the caller does not see, 400 `errors.invoicing.no_unbilled` without such hours, 422 `lines` for more
 * than a document allows, 422 `hourly_rate`
 */
export async function invoiceHours(body: Static<typeof InvoiceFromTime>): Promise<string> {
  const { company_id, project_id, until: last, group_by = "project", hourly_rate } = body;
  const { organisation } = request();
  if (hourly_rate != null && !isWithin(hourly_rate, AMOUNT_LIMIT)) throw invalid({ hourly_rate: "errors.validation" });
  await Promise.all([partyFor(company_id, null), requireProject(project_id)]);
  const values = [organisation.id, company_id, project_id ?? null, last ?? null];
  const rows = await query<Omit<BilledEntry, "rate"> & Rates>(ENTRIES, values);
  if (rows.length === 0) throw refusal("validation", "errors.invoicing.no_unbilled");
  const entries = rows.map((row) => ({ ...row, rate: hourly_rate == null ? entryRate(row) : formatAmount(hourly_rate) }));
  const lines = hourLines(entries, { group_by, locale: organisation.locale });
  if (lines.length > MOST_LINES) throw invalid({ lines: "errors.validation" });
  return createDraft({ company_id, lines }, { withoutForm: true });
}
