import type { IsoDate } from "../../../../core/calendar/calendar.ts";
import { query } from "../../../../core/database/query.ts";
import { isApiError } from "../../../../core/errors/errors.ts";
import type { OrganisationRun } from "../../../../core/jobs/jobs.ts";
import { schedule } from "../../../../core/jobs/jobs.ts";
import { handOver } from "../../../../core/mail/mail-now.ts";
import { request } from "../../../../core/request/context.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { trail } from "../../../../core/trail/trail.ts";
import { lockInvoice } from "../../documents/invoices/invoice-rows.ts";
import { mailedDocument } from "../../mails/document-mail.ts";
import { recipientsOf, type SentTo, sentTo } from "../../mails/mail-values.ts";
import { releaseTurn, takeTurn } from "../../mails/reminder-turn.ts";
import { readDunning } from "../settings/settings-rows.ts";
import { type DunnedInvoice, dunnedInvoice, lateInvoices, nextOf } from "./facts.ts";
import { nextNoticeOf, type WordedNotice } from "./notice.ts";
import { canMailNotices, noticeMail } from "./notice-mail.ts";
import { recordNotice } from "./recording.ts";

/** A notice of the daily job. */
export type DailyNotice = { invoice_id: string; day: IsoDate; level: number };
export const NOTICE_JOB = "dunning.notice";

/** Claims the invoices `$3` for the day `$2`, as for reminders: an invoice has one mail of the daily job a day. */
const TAKE = statement(`insert into invoice_daily_mails as d (organisation_id, invoice_id, mailed_on)
    select $1, i, $2 from unnest($3::uuid[]) i order by i
  on conflict (organisation_id, invoice_id) do update set mailed_on = excluded.mailed_on where d.mailed_on < excluded.mailed_on
  returning d.invoice_id`);

/** Whether the daily job may dun an invoice on a day: it is not paused, and no reminder was sent that day. */
const isFree = ({ paused, reminders_paused, reminded_on }: DunnedInvoice, today: IsoDate): boolean =>
  !paused && !reminders_paused && reminded_on !== today;

/** Schedules the notices that are due on a day, one for an invoice, in the running transaction. Does nothing while dunning is off. */
export async function planNotices(today: IsoDate): Promise<void> {
  const { enabled, levels } = await readDunning();
  if (!enabled) return;
  const due = new Map<string, number>();
  for (const invoice of await lateInvoices(today, null)) {
    const next = isFree(invoice, today) ? nextOf(invoice, levels) : null;
    if (next && next.on <= today) due.set(invoice.invoice_id, next.level);
  }
  if (due.size === 0) return;
  const taken = await query<{ invoice_id: string }>(TAKE, [request().organisation.id, today, [...due.keys()]]);
  for (const { invoice_id } of taken)
    schedule(NOTICE_JOB, { invoice_id, day: today, level: due.get(invoice_id) as number } satisfies DailyNotice);
}

interface Ready {
  notice: WordedNotice;
  document: NonNullable<Awaited<ReturnType<typeof mailedDocument<"invoice">>>>;
}

/** Checks again whether the notice is due: the invoice may have changed since it was scheduled. */
async function lookAgain({ payload: { invoice_id: id, day, level } }: OrganisationRun<DailyNotice>): Promise<Ready | null> {
  const { invoice, settings } = await dunnedInvoice(id);
  const document = invoice && (await mailedDocument("invoice", id));
  if (!invoice || !document || !settings.enabled || !isFree(invoice, day) || invoice.dunning_level !== level - 1) return null;
  const next = nextOf(invoice, settings.levels);
  if (!next || next.on > day) return null;
  const notice = nextNoticeOf(invoice, settings, { on: day, byPost: false, brand: document.brand });
  return notice && { notice, document };
}

/** Makes the mail and hands it over, under the job's own id, so that a retry after a lost attempt is the same mail. */
async function attempt(run: OrganisationRun<DailyNotice>, { notice, document }: Ready): Promise<SentTo | { reason: string }> {
  const to = recipientsOf(document.customer.email);
  if (to.length === 0) return { reason: "errors.invoicing.no_recipient" };
  if (!(await run.read(canMailNotices))) return { reason: "errors.email_not_configured" };
  try {
    const mail = await noticeMail(run.id, { document, notice, to }, run);
    const made = await handOver((name, parameters) => run.call(name, parameters), mail);
    return made.accepted ? sentTo(to, made.refused) : { reason: made.error };
  } catch (error) {
    // Without a document, no mail; a retry may find the printer free.
    if (!run.lastAttempt) throw error;
    run.logger.error({ event: "money.notice_not_made", error: (error as Error).message }, "a notice could not be made");
    return { reason: isApiError(error) ? error.message : "errors.server" };
  }
}

/** Mails the notice of one invoice. If a member mails a reminder or a notice at this moment, that is today's. */
export async function mailDueNotice(run: OrganisationRun<DailyNotice>): Promise<void> {
  const { invoice_id: id, level } = run.payload;
  if (!(await run.write(() => takeTurn(id, run.id)))) return;
  const ready = await run.read(() => lookAgain(run));
  const outcome = ready && (await attempt(run, ready));
  await run.write(async () => {
    if (ready && outcome && "to" in outcome) {
      const invoice = await lockInvoice(id);
      await recordNotice(invoice, { holder: run.id, notice: ready.notice, sent: outcome, manual: false });
      return;
    }
    releaseTurn(id, run.id);
    if (outcome && "reason" in outcome) trail("invoice", id, "dunning_failed", { level, reason: outcome.reason });
  });
}
