import { queryAll } from "../../../../core/database/query.ts";
import { notFound } from "../../../../core/errors/errors.ts";
import { request } from "../../../../core/request/context.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { type BilledClient, type Customer, customerOf } from "../../calculation/bill-to.ts";
import type { ReportPeriod } from "../period.ts";
import { issuedDocuments, reporter } from "../seen.ts";
import { openOn } from "./open-amounts.ts";
import { type Account, accountsOf, type Entry, type OpenItem } from "./statement.ts";

/** `$4` to `$6`: the client, first and last day. */
const OF_CLIENT = "t.company_id = $4::uuid";

/** What changed the account; a payment that is dated before its document counts from the document's date. */
const CHANGES = `with ${issuedDocuments("t.number, t.reference, t.due_date", OF_CLIENT)}, changes as (
    select d.*, d.issue_date as day, 0 as rank, d.kind as type, d.total as amount, null::timestamptz as at from documents d
    union all select d.*, d.cancelled_on, 2, 'cancellation', -d.total, null from documents d where d.cancelled_on is not null
    union all select d.*, greatest(p.paid_on, d.issue_date), 1, case when p.amount > 0 then 'payment' else 'refund' end, -p.amount, p.created_at
      from documents d join invoice_payments p on p.organisation_id = $1 and p.invoice_id = d.id)`;
const OPENINGS = statement(`${CHANGES} select currency, round(sum(amount), 2)::text as amount from changes
  where day < $5::date group by currency order by currency`);
const ENTRIES = statement(`${CHANGES} select currency, day::text as date, type, id as invoice_id, number, reference,
    case when rank = 0 then due_date::text end as due_date, round(amount, 2)::text as amount
  from changes where day between $5::date and $6::date order by currency, day, rank, at, number, id`);
const ITEMS = statement(`with ${openOn("$5", "t.number", OF_CLIENT)}
  select currency, id as invoice_id, number, issue_date::text as issue_date, due_date::text as due_date, total::text as total,
    round(open, 2)::text as open from opened order by currency, due_date, number, id`);
/** The client as the caller sees it, in the language of its newest document. */
const CLIENT =
  statement(`select c.name, c.legal_name, c.address_line1, c.house_number, c.address_line2, c.postal_code, c.city, c.country,
    c.vat_number, c.coc_number, c.client_number, c.invoice_email,
    (select t.locale from invoices t where t.organisation_id = $1 and t.company_id = c.id order by t.created_at desc, t.id limit 1) as locale
  from companies c where c.organisation_id = $1 and c.id = $3 and ($2::uuid[] is null or c.id in (select selected_companies($2)))`);

/** A client's statement of account, with whom it is for. */
export interface ClientStatement extends ReportPeriod {
  company_id: string;
  name: string;
  accounts: Account[];
  /** As on an invoice of this moment. */
  customer: Customer;
  /** The language of the client's newest document, else the organisation's. */
  locale: string;
}

/** The statement of a client over a period. Four statements. @throws 404 for a client that the caller does not see */
export async function clientStatement(companyId: string, period: ReportPeriod): Promise<ClientStatement> {
  const { organisation, principal } = request();
  const { from, to } = period;
  const [clients = [], openings, entries, items] = (await queryAll(
    [CLIENT, [organisation.id, principal?.selection ?? null, companyId]],
    [OPENINGS, [...reporter(), companyId, from]],
    [ENTRIES, [...reporter(), companyId, from, to]],
    [ITEMS, [...reporter(), companyId, to]],
  )) as unknown as [(BilledClient & { locale: string | null })[], { currency: string; amount: string }[], Entry[], OpenItem[]];
  const client = clients[0];
  if (!client) throw notFound();
  return {
    company_id: companyId.toLowerCase(),
    name: client.name,
    ...period,
    accounts: accountsOf({ openings, entries, items }, to),
    customer: customerOf(client, null),
    locale: client.locale ?? organisation.locale,
  };
}
