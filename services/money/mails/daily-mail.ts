import { queryOne } from "../../../core/database/query.ts";
import { queueUpdate } from "../../../core/database/write.ts";
import { isApiError } from "../../../core/errors/errors.ts";
import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { handOver } from "../../../core/mail/mail-now.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trail } from "../../../core/trail/trail.ts";
import { isPayable } from "../../../mixins/payments/payable.ts";
import { dueReminder } from "../calculation/reminders.ts";
import { lockInvoice } from "../documents/invoices/invoice-rows.ts";
import { Invoice } from "../documents/models.ts";
import type { DocumentRow } from "../rendering/document-rows.ts";
import type { DailyMail } from "./daily.ts";
import { canMail, draftMail, finishedMail, mailedDocument } from "./document-mail.ts";
import { daysLate, type InvoicingMail, recipientsOf, type SentTo, sentTo } from "./mail-values.ts";
import { releaseTurn, takeTurn } from "./reminder-turn.ts";
import { noteInvoiceSent, noteReminded } from "./sending.ts";

type DailyRun = OrganisationRun<DailyMail>;
type MailedInvoice = Extract<DocumentRow, { document: "invoice" }>;

/** A mail that is due now. */
interface Due {
  invoice: MailedInvoice;
  kind: InvoicingMail;
  to: readonly string[];
  /** Whether today is exactly the day of the reminder's step. */
  onThreshold: boolean;
}

/** The result of a mail. A reason is a translation key or the provider's text; `lasting`: a retry tomorrow would fail the same way. */
type Outcome = SentTo | { reason: string; lasting: boolean };

const TAKEN = statement(`select c.invoice_email, coalesce(s.reminders_enabled, false) as reminders_enabled, s.reminder_days
  from invoice_daily_mails d join invoices t on t.organisation_id = d.organisation_id and t.id = d.invoice_id
    join companies c on c.organisation_id = t.organisation_id and c.id = t.company_id
    left join invoicing_settings s on s.organisation_id = t.organisation_id
  where d.organisation_id = $1 and d.invoice_id = $2 and d.mailed_on = $3`);

interface ReminderTerms {
  invoice_email: string | null;
  reminders_enabled: boolean;
  reminder_days: number[] | null;
}

/** Checks again whether the mail is due: the invoice may have changed since the mail was scheduled. */
async function lookAgain({ payload, organisation }: DailyRun): Promise<Due | null> {
  const { invoice_id: id, task, day, level } = payload;
  const taken = await queryOne<ReminderTerms>(TAKEN, [organisation.id, id, day]);
  const invoice = taken && (await mailedDocument("invoice", id));
  if (!taken || !invoice) return null;
  if (task === "auto_send") {
    if (!invoice.auto_send || !["open", "paid"].includes(invoice.status)) return null;
    return { invoice, kind: "invoicing.invoice", to: recipientsOf(invoice.customer.email), onThreshold: false };
  }
  const { reminders_paused, reminder_count, due_date, customer } = invoice;
  if (!taken.reminders_enabled || reminders_paused || !isPayable(invoice) || reminder_count + 1 !== level) return null;
  const overdueDays = daysLate(due_date, day);
  const due = dueReminder({ days: taken.reminder_days ?? [], count: reminder_count, overdueDays });
  const to = recipientsOf(customer.email, taken.invoice_email);
  return due && { invoice, kind: "invoicing.reminder", to, onThreshold: due.on_threshold };
}

/** Prepares the mail and hands it over, under the job's own id, so that a retry after a lost attempt is the same mail. */
async function attempt(run: DailyRun, { invoice, kind, to }: Due): Promise<Outcome> {
  if (to.length === 0) return { reason: "errors.invoicing.no_recipient", lasting: true };
  if (!(await run.read(() => canMail(kind)))) return { reason: "errors.email_not_configured", lasting: true };
  try {
    const draft = await run.read(() => draftMail(kind, invoice, run.payload.day));
    const mail = await finishedMail(run.id, draft, { document: invoice, to }, run);
    const made = await handOver((name, parameters) => run.call(name, parameters), mail);
    return made.accepted ? sentTo(to, made.refused) : { reason: made.error, lasting: false };
  } catch (error) {
    // Without a document, no mail; a retry may find the printer free.
    if (!run.lastAttempt) throw error;
    run.logger.error(
      { event: "money.mail_not_made", error: (error as Error).message },
      "the mail of a document could not be made",
    );
    return { reason: isApiError(error) ? error.message : "errors.server", lasting: false };
  }
}

/** Records the result, in the running transaction (money §13). */
async function note(
  { id: holder, payload: { task, level, day } }: DailyRun,
  { invoice, onThreshold }: Due,
  outcome: Outcome,
): Promise<void> {
  const { id } = invoice;
  const locked = await lockInvoice(id);
  if ("to" in outcome) {
    if (task === "auto_send") await noteInvoiceSent(id, outcome, { auto: true });
    else noteReminded(locked, holder, { ...outcome, level, days_overdue: daysLate(locked.due_date, day) });
    return;
  }
  const { reason, lasting } = outcome;
  if (task === "auto_send" && lasting) {
    queueUpdate(Invoice, id, { auto_send: false });
    trail("invoice", id, "auto_send_failed", { reason });
  }
  if (task === "reminder") releaseTurn(id, holder);
  if (task === "reminder" && onThreshold) trail("invoice", id, "reminder_failed", { reason });
}

/**
 * Mails one invoice that the daily job claimed. If a member is mailing a reminder at this moment, that is today's, and the job mails none.
 */
export async function mailInvoice(run: DailyRun): Promise<void> {
  const { invoice_id: id, task } = run.payload;
  const reminds = task === "reminder";
  if (reminds && !(await run.write(() => takeTurn(id, run.id)))) return;
  const due = await run.read(() => lookAgain(run));
  if (!due) {
    if (reminds) await run.write(async () => releaseTurn(id, run.id));
    return;
  }
  const outcome = await attempt(run, due);
  await run.write(() => note(run, due, outcome));
}
