import type pg from "pg";

/** One rule of the books, as a statement that finds violations in an organisation. */
interface Rule {
  /** The rule in words. */
  holds: string;
  /** Takes the organisation as `$1`; each row is a violation. */
  broken: string;
}

const ISSUED = "i.organisation_id = $1 and i.status <> 'draft'";
const payments = (what: string) =>
  `(select ${what} from invoice_payments p where p.organisation_id = i.organisation_id and p.invoice_id = i.id)`;
/** An aggregate over the activity lines of an invoice. */
const trail = (action: string, figure = "count(*)") =>
  `(select ${figure} from activity a where a.organisation_id = i.organisation_id and a.entity_type = 'invoice' and a.entity_id = i.id
      and a.action = '${action}')`;
const summed = (action: string) => trail(action, "coalesce(sum((a.payload->>'amount')::numeric), 0)");

const RULES: readonly Rule[] = [
  {
    holds: "numbers run on without a gap (§5)",
    broken: `select number, place from (select number, regexp_replace(number, '\\d+$', '') as year, substring(number from '\\d+$')::int as seq,
          row_number() over (partition by regexp_replace(number, '\\d+$', '') order by substring(number from '\\d+$')::int) as place
        from invoices where organisation_id = $1 and number is not null) n where seq <> place`,
  },
  {
    holds: "the counter stands behind the last number (§5)",
    broken: `select s.invoice_next_seq, n.numbers from invoicing_settings s,
        lateral (select count(*) as numbers from invoices where organisation_id = $1 and number is not null) n
      where s.organisation_id = $1 and s.invoice_next_seq <> n.numbers + 1`,
  },
  {
    holds: "a draft has no number",
    broken: `select id, number from invoices where organisation_id = $1 and status = 'draft' and number is not null`,
  },
  {
    holds: "paid_total is the sum of the payments (§6)",
    broken: `select i.number, i.paid_total from invoices i where i.organisation_id = $1
      and i.paid_total <> ${payments("coalesce(sum(p.amount), 0)")}`,
  },
  {
    holds: "a document is paid exactly when it is settled (§6)",
    broken: `select i.number, i.status, i.total, i.paid_total, i.outstanding from invoices i where i.organisation_id = $1
      and i.status in ('open', 'paid') and (i.status = 'paid') is distinct from (i.paid_at is not null)
      or i.organisation_id = $1 and i.status in ('open', 'paid') and (i.status = 'paid') is distinct from case
        when i.total > 0 then i.outstanding <= 0 and ${payments("count(*)")} > 0
        when i.total < 0 then i.outstanding >= 0 else false end`,
  },
  {
    holds: "a cancelled document has no money (§16)",
    broken: `select i.number from invoices i where i.organisation_id = $1 and i.status = 'cancelled' and ${payments("count(*)")} > 0`,
  },
  {
    holds: "credited_total is what the notes took off (§7)",
    broken: `select i.number, i.credited_total from invoices i where i.organisation_id = $1 and i.kind = 'invoice'
      and i.credited_total <> (select coalesce(sum(n.applied_total), 0) from invoices n where n.organisation_id = $1
        and n.credit_for_id = i.id and n.status in ('open', 'paid'))`,
  },
  {
    holds: "notes take no more off than there is (§7)",
    broken: `select i.number from invoices i where i.organisation_id = $1 and i.kind = 'invoice' and i.credited_total > i.total`,
  },
  {
    holds: "an attempt is settled by one payment (§11)",
    broken: `select t.id, t.status, t.settled_at, t.last_error from payment_intents t where t.organisation_id = $1
      and (t.settled_at is not null)::int <> (select count(*) from invoice_payments p where p.organisation_id = $1 and p.intent_id = t.id)`,
  },
  {
    holds: "live money that arrived is booked (§11)",
    broken: `select t.id, t.status, t.last_error from payment_intents t join invoices i on i.organisation_id = $1 and i.id = t.invoice_id
      where t.organisation_id = $1 and t.mode = 'live' and t.status = 'paid' and i.status <> 'cancelled' and t.settled_at is null`,
  },
  {
    holds: "a period is billed by one document (§9)",
    broken: `select l.subscription_id, l.domain_id, l.period_end, count(distinct l.invoice_id) from document_lines l
        join invoices i on i.organisation_id = $1 and i.id = l.invoice_id and i.status <> 'cancelled'
      where l.organisation_id = $1 and l.period_end is not null group by 1, 2, 3 having count(distinct l.invoice_id) > 1`,
  },
  {
    holds: "an entry is claimed exactly when it is stamped (§8)",
    broken: `select e.id, e.invoiced_at from time_entries e where e.organisation_id = $1 and (e.invoiced_at is not null)::int
      <> (select count(*) from time_entry_claims c where c.organisation_id = $1 and c.time_entry_id = e.id)`,
  },
  {
    holds: "the trail tells of one issue of each issued document (§17)",
    broken: `select i.id, i.number from invoices i where i.organisation_id = $1
      and ${trail("issued")} <> (i.status <> 'draft')::int`,
  },
  {
    holds: "the trail tells of the number (§17)",
    broken: `select i.number from invoices i where ${ISSUED} and i.number is distinct from ${trail("issued", "min(a.payload->>'number')")}`,
  },
  {
    holds: "the payments of the trail add up to paid_total (§17)",
    broken: `select i.number, i.paid_total from invoices i where ${ISSUED}
      and i.paid_total <> ${summed("payment_registered")} - ${summed("payment_deleted")}`,
  },
  {
    holds: "the trail tells of each attempt that was started, and of each that was settled (§17)",
    broken: `select i.number, t.made, t.settled from invoices i, lateral (select count(t.external_id) as made, count(t.settled_at) as settled
        from payment_intents t where t.organisation_id = $1 and t.invoice_id = i.id) t
      where ${ISSUED} and (t.made, t.settled) <> (${trail("payment_intent_started")}, ${trail("payment_intent_settled")})`,
  },
  {
    holds: "the credits of the trail are those of the notes (§17)",
    broken: `select i.number from invoices i where ${ISSUED} and i.kind = 'invoice' and ${summed("credit_applied")}
      <> (select coalesce(sum(n.applied_total), 0) from invoices n where n.organisation_id = $1 and n.credit_for_id = i.id)`,
  },
  {
    holds: "invoice.issued was reported once for each issued document (§4)",
    broken: `select i.number, i.status from invoices i where i.organisation_id = $1 and (i.status <> 'draft')::int
      <> (select count(*) from recorded r where r.entity_id = i.id and r.event = 'invoice.issued')`,
  },
  {
    holds: "invoice.paid was reported once for each invoice that is paid and never was reopened (§6)",
    broken: `select i.number, i.status from invoices i where i.organisation_id = $1 and i.total > 0 and ${trail("payment_deleted")} = 0
      and (i.status = 'paid')::int <> (select count(*) from recorded r where r.entity_id = i.id and r.event = 'invoice.paid')`,
  },
];

/** Totals of an organisation's books. */
export interface Books {
  issued: number;
  payments: number;
  online: number;
  notes: number;
  periods: number;
  drafts: number;
  /** Billed hours. */
  entries: number;
}

const COUNTS = `select
  (select count(*)::int from invoices where organisation_id = $1 and status <> 'draft') as issued,
  (select count(*)::int from invoice_payments where organisation_id = $1) as payments,
  (select count(*)::int from invoice_payments where organisation_id = $1 and intent_id is not null) as online,
  (select count(*)::int from invoices where organisation_id = $1 and status <> 'draft' and kind = 'credit_note') as notes,
  (select count(*)::int from period_claims where organisation_id = $1) as periods,
  (select count(*)::int from invoices where organisation_id = $1 and status = 'draft') as drafts,
  (select count(*)::int from time_entry_claims where organisation_id = $1) as entries`;

/**
 * Audits an organisation's books: compares each document with its rows, its activity and its events.
 * @param sql as the role that owns the tables, with `recordEvents` called before the first document
 * @returns one text per difference; empty if there is none
 */
export async function audit(sql: Pick<pg.Client, "query">, organisationId: string): Promise<string[]> {
  const differences: string[] = [];
  for (const { holds, broken } of RULES)
    for (const row of (await sql.query(broken, [organisationId])).rows) differences.push(`${holds}: ${JSON.stringify(row)}`);
  return differences;
}

/** Counts what an audit covered. */
export const counted = async (sql: Pick<pg.Client, "query">, organisationId: string): Promise<Books> =>
  (await sql.query<Books>(COUNTS, [organisationId])).rows[0] as Books;
