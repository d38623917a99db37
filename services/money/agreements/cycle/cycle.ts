import { enqueue, query } from "../../../../core/database/query.ts";
import type { OrganisationRun } from "../../../../core/jobs/jobs.ts";
import { emitAll } from "../../../../core/jobs/outbox.ts";
import { statement } from "../../../../core/sql/statement.ts";
import type { AutoInvoiceMode } from "../../settings/models.ts";
import { cycleOf, type DueAgreement } from "./due-periods.ts";
import { ownLines } from "./period-lines.ts";

/** Agreements reported and advanced in one transaction. */
const AT_ONCE = 200;

const DUE = statement(`select id, next_invoice_date as due from subscriptions
  where organisation_id = $1 and status = 'active' and next_invoice_date <= $2 order by id`);
/** Of two concurrent runs, the second waits and then sees the advanced boundary. */
const LOCK =
  statement(`select t.id, t.company_id, t.name, t.currency, t.auto_invoice_mode, t.interval, t.interval_count, t.anchor,
      t.next_invoice_date, t.end_date, t.lines,
      (select coalesce(json_agg(json_build_object('amount', p.amount::text, 'valid_from', p.valid_from)), '[]') from subscription_prices p
        where p.organisation_id = t.organisation_id and p.subscription_id = t.id) as prices
    from unnest($2::uuid[], $3::date[]) d (id, due) join subscriptions t on t.organisation_id = $1 and t.id = d.id
   where t.status = 'active' and t.next_invoice_date = d.due order by t.id for update of t`);
const ADVANCE = statement(`update subscriptions t set next_invoice_date = n.next,
    last_boundary = case when n.next is null then t.next_invoice_date end, version = t.version + 1, updated_at = statement_timestamp()
   from unnest($2::uuid[], $3::date[]) n (id, next)
  where t.organisation_id = $1 and t.id = n.id`);

interface DueCycle {
  id: string;
  due: string;
}

interface Agreement extends DueAgreement {
  id: string;
  company_id: string;
  auto_invoice_mode: AutoInvoiceMode | null;
}

/** Emits the due period of each agreement and advances it by one period, whether or not a document follows. */
async function bill(organisationId: string, due: readonly DueCycle[]): Promise<void> {
  const values = [organisationId, due.map(({ id }) => id), due.map((one) => one.due)];
  const agreements = await query<Agreement>(LOCK, values);
  if (agreements.length === 0) return;
  const cycles = agreements.map((agreement) => ({ agreement, ...cycleOf(agreement) }));
  emitAll(
    "subscription.due",
    "subscription",
    cycles.flatMap(({ agreement: { id, company_id, name, currency, auto_invoice_mode: level, lines }, period }) =>
      period === null
        ? []
        : [
            {
              entityId: id,
              payload: { subscription_id: id, company_id, name, currency, level, ...period, lines: ownLines(lines) },
            },
          ],
    ),
  );
  enqueue(ADVANCE, [organisationId, cycles.map(({ agreement }) => agreement.id), cycles.map(({ next }) => next)]);
}

/**
 * Emits the due period of every active agreement that reached its boundary, one period each per run, in transactions of a bounded size
 * (money §9 "Cycle job"). Two concurrent runs emit a period once.
 */
export async function runCycle(
  run: Pick<OrganisationRun, "organisation" | "today" | "read" | "write" | "signal">,
): Promise<void> {
  const due = await run.read(() => query<DueCycle>(DUE, [run.organisation.id, run.today()]));
  for (let from = 0; from < due.length && !run.signal.aborted; from += AT_ONCE)
    await run.write(() => bill(run.organisation.id, due.slice(from, from + AT_ONCE)));
}
