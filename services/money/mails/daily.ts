import type { IsoDate } from "../../../core/calendar/calendar.ts";
import { query } from "../../../core/database/query.ts";
import { schedule } from "../../../core/jobs/jobs.ts";
import { emitAll } from "../../../core/jobs/outbox.ts";
import { request } from "../../../core/request/context.ts";
import { type Row, statement } from "../../../core/sql/statement.ts";
import { trailAll } from "../../../core/trail/trail.ts";
import { scheduleTurns } from "../documents/instalments/due-turns.ts";
import type { InvoiceRow } from "../documents/models.ts";
import { notDunned } from "./dunned.ts";

/** The reason for a mail of the daily job. */
export type DailyTask = "auto_send" | "reminder";

/** A mail of the daily job; `level` is the reminder's, from 1. */
export type DailyMail = { invoice_id: string; task: DailyTask; day: IsoDate; level: number };

export const MAIL_JOB = "invoicing.daily-mail";

const EXPIRE = statement(`update quotes set status = 'expired', version = version + 1, updated_at = statement_timestamp()
  where organisation_id = $1 and status = 'open' and valid_until < $2 returning id`);

const OVERDUE = statement(`with due as (select t.id, t.company_id, t.number, t.total::text as total, t.currency, t.due_date,
      t.outstanding::text as outstanding
    from invoices t left join invoice_daily_mails d on d.organisation_id = t.organisation_id and d.invoice_id = t.id
    where t.organisation_id = $1 and t.status = 'open' and t.due_date < $2 and t.outstanding > 0
      and d.overdue_reported_for is distinct from t.due_date),
  noted as (insert into invoice_daily_mails as d (organisation_id, invoice_id, mailed_on, overdue_reported_for)
    select $1, due.id, '-infinity', due.due_date from due order by due.id
    on conflict (organisation_id, invoice_id) do update set overdue_reported_for = excluded.overdue_reported_for
      where d.overdue_reported_for is distinct from excluded.overdue_reported_for
    returning d.invoice_id)
  select due.* from due join noted on noted.invoice_id = due.id order by due.id`);

/** Claims the invoices in `picked` for the day `$2`, except those that another run has claimed for that day. */
const taking = (picked: string) =>
  statement(`with picked as (${picked}),
    taken as (insert into invoice_daily_mails as d (organisation_id, invoice_id, mailed_on) select $1, p.id, $2 from picked p
      on conflict (organisation_id, invoice_id) do update set mailed_on = excluded.mailed_on where d.mailed_on < excluded.mailed_on
      returning d.invoice_id)
  select p.id, p.level from picked p join taken on taken.invoice_id = p.id order by p.id`);

const TO_SEND = taking(`select t.id, 0 as level from invoices t
  where t.organisation_id = $1 and t.auto_send and t.status in ('open', 'paid')`);
const TO_REMIND = taking(`select t.id, t.reminder_count + 1 as level from invoices t
    join invoicing_settings s on s.organisation_id = t.organisation_id and s.reminders_enabled
  where t.organisation_id = $1 and t.status = 'open' and t.due_date < $2 and t.kind = 'invoice' and not t.reminders_paused
    and t.outstanding > 0 and t.reminder_count < cardinality(s.reminder_days)
    and $2::date - t.due_date >= s.reminder_days[t.reminder_count + 1] and ${notDunned("$2")}`);

type Overdue = Row &
  Pick<InvoiceRow, "id" | "company_id" | "number" | "total" | "currency" | "due_date"> & { outstanding: string };

/** Emits each invoice past its due date with an amount due, once per due date. */
async function reportOverdue(organisationId: string, today: IsoDate): Promise<void> {
  const found = await query<Overdue>(OVERDUE, [organisationId, today]);
  emitAll(
    "invoice.overdue",
    "invoice",
    found.map(({ id, company_id, number, total, currency, due_date, outstanding }) => ({
      entityId: id,
      payload: {
        invoice_id: id,
        company_id,
        number: number as string,
        total,
        currency,
        due_date: due_date as string,
        outstanding,
      },
    })),
  );
}

/**
 * The daily work on documents, in the running transaction: expires quotes past their date, schedules due turns of plans, schedules one mail per invoice to send or remind
 * of, and emits overdue invoices. A second run on the same day or on another node does nothing more (money §13).
 * @param today the organisation's day
 */
export async function startDay(today: IsoDate): Promise<void> {
  const { id } = request().organisation;
  const expired = await query<{ id: string }>(EXPIRE, [id, today]);
  trailAll(
    "quote",
    expired.map((quote) => quote.id),
    "expired",
  );
  await reportOverdue(id, today);
  await scheduleTurns(today);
  const plan = (task: DailyTask, found: readonly { id: string; level: number }[]) => {
    for (const { id: invoice_id, level } of found)
      schedule(MAIL_JOB, { invoice_id, task, day: today, level } satisfies DailyMail);
  };
  plan("auto_send", await query(TO_SEND, [id, today]));
  plan("reminder", await query(TO_REMIND, [id, today]));
}
