import { setTimeout as sleep } from "node:timers/promises";
import { enqueue, queryOne, queryOutside } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";

/** Seconds; longer than a request or a daily job run takes, so by then the holder has ended or its node is down. */
const UNDER_WAY = 180;
/** Milliseconds between two checks of a running reminder. */
const LOOK = 100;

const TAKE = statement(`insert into invoice_daily_mails as d (organisation_id, invoice_id, mailed_on, reminder_by, reminder_until)
    values ($1, $2, '-infinity', $3, now() + interval '${UNDER_WAY} seconds')
  on conflict (organisation_id, invoice_id) do update set reminder_by = excluded.reminder_by, reminder_until = excluded.reminder_until
    where d.reminder_until is null or d.reminder_until <= now() or d.reminder_by = excluded.reminder_by
  returning 1`);
const IS_TAKEN = statement(`select 1 from invoice_daily_mails
  where organisation_id = $1 and invoice_id = $2 and reminder_until > now()`);
const RELEASE = statement(`update invoice_daily_mails set reminder_by = null, reminder_until = null
  where organisation_id = $1 and invoice_id = $2 and reminder_by = $3`);

/**
 * Acquires the reminder turn of an invoice, in the running transaction. The current holder can acquire it again.
 * @param holder the id of the request's or the job's work
 * @returns false while another holder has it
 */
export const takeTurn = async (invoiceId: string, holder: string): Promise<boolean> =>
  (await queryOne(TAKE, [request().organisation.id, invoiceId, holder])) !== undefined;

/** Releases the turn in the running transaction; does nothing if another holder has it. */
export const releaseTurn = (invoiceId: string, holder: string): void =>
  enqueue(RELEASE, [request().organisation.id, invoiceId, holder]);

/** Waits until no reminder of an invoice is running. Needs a request without a transaction. */
export async function turnFree(invoiceId: string): Promise<void> {
  do await sleep(LOOK);
  while (await queryOutside(IS_TAKEN, [request().organisation.id, invoiceId]));
}
