import { setTimeout as sleep } from "node:timers/promises";
import { newId } from "../../../core/database/model.ts";
import { enqueue, query, queryOne, queryOutside } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { storeOutsideResult } from "../../../mixins/tenancy.ts";
import type { Recipient } from "../models.ts";

/**
 * The outcome of a recipient's mail: `sent`, the mail server accepted it; `bounced`, it rejected the address permanently; `failed`, it
 * accepted nothing but may do so later; `unknown`, it may have accepted it, so the mail is not repeated.
 */
export type MailEnd = "sent" | "bounced" | "failed" | "unknown";

/** The document that is mailed. */
export interface MailedDocument {
  report_id: string;
  /** The file of its PDF. */
  document_id: string;
}
export type Addressee = Recipient & { email: string };

/** Seconds a hand-over may take: longer than the mail module waits for an answer. */
const UNDER_WAY = 30;
/** Polling interval for a mail that another call hands over, in milliseconds. */
const LOOK = 200;

/** Abandons mails that can no longer finish: their node died, or an earlier attempt of this very work started them. */
const ABANDON =
  statement(`update report_mails set status = 'unknown', reason = 'errors.reporting.mail_unknown', version = version + 1,
    updated_at = statement_timestamp()
  where organisation_id = $1 and report_id = $2 and document_id = $3 and address = lower($4) and status = 'sending'
    and (held_until <= now() or holder = $5)`);
/** Waits for a writer of the report: a document that was replaced, removed or is made again meanwhile is not mailed. */
const CLAIM =
  statement(`insert into report_mails as m (id, organisation_id, report_id, document_id, address, email, name, contact_id, status,
    holder, held_until)
  select $6, r.organisation_id, r.id, r.pdf_file_id, lower($4), $4, $7::text, $8::uuid, 'sending', $5, now() + interval '${UNDER_WAY} seconds'
    from reports r where r.organisation_id = $1 and r.id = $2 and r.pdf_file_id = $3 and r.status in ('ready', 'sent') for share
  on conflict on constraint report_mails_one do update set status = 'sending', holder = excluded.holder, held_until = excluded.held_until,
      reason = null, email = excluded.email, name = excluded.name, contact_id = excluded.contact_id, version = m.version + 1,
      updated_at = statement_timestamp()
    where m.status in ('bounced', 'failed') or m.status = 'unknown' and $9
  returning m.id`);
const UNDER_WAY_NOW = statement(`select 1 from report_mails
  where organisation_id = $1 and report_id = $2 and document_id = $3 and address = lower($4) and status = 'sending' and held_until > now()`);
const END =
  statement(`update report_mails set status = $3, reason = $4, sent_at = case when $3 = 'sent' then statement_timestamp() end,
    version = version + 1, updated_at = statement_timestamp() where organisation_id = $1 and id = $2`);
const ENDS = statement(`select email, status, reason from report_mails
  where organisation_id = $1 and report_id = $2 and document_id = $3 and address in (select lower(a) from unnest($4::text[]) a)`);
/** The newest mail per address, in the order of their first mails. */
const OF_REPORT = statement(`select m.contact_id, m.email, m.name, m.status, m.reason, m.sent_at from (
    select distinct on (address) * from report_mails where organisation_id = $1 and report_id = $2 order by address, id desc) m order by m.id`);

const keyOf = ({ report_id, document_id }: MailedDocument, email: string) => [
  request().organisation.id,
  report_id,
  document_id,
  email,
];

/**
 * Claims the mail to one recipient, in its own transaction. Waits while another call hands it over.
 * @param holder the id of the claiming work
 * @param repeatUnknown whether to repeat a mail with an unknown outcome
 * @returns the mail's id, the same in every attempt; null if the recipient has it, or may have it, or the report has another document now
 */
export async function claimMail(
  document: MailedDocument,
  { contact_id, email, name }: Addressee,
  holder: string,
  repeatUnknown: boolean,
): Promise<string | null> {
  const key = keyOf(document, email);
  for (;;) {
    const claimed = await storeOutsideResult(async () => {
      enqueue(ABANDON, [...key, holder]);
      return queryOne<{ id: string }>(CLAIM, [...key, holder, newId(), name, contact_id, repeatUnknown]);
    });
    if (claimed) return claimed.id;
    if (!(await queryOutside(UNDER_WAY_NOW, key))) return null;
    await sleep(LOOK);
  }
}

/** Stores the outcome of a claimed mail, in its own transaction. */
export const endMail = (id: string, end: MailEnd, reason: string | null): Promise<void> =>
  storeOutsideResult(async () => enqueue(END, [request().organisation.id, id, end, reason]));

/** The outcomes of a document's mails to these addresses. */
export const mailEnds = (document: MailedDocument, emails: readonly string[]) =>
  query<{ email: string; status: MailEnd; reason: string | null }>(ENDS, [
    request().organisation.id,
    document.report_id,
    document.document_id,
    emails,
  ]);

/** All recipients of a report, each with its newest mail's outcome. */
export const mailsOf = (reportId: string) =>
  query<Recipient & { status: MailEnd | "sending"; reason: string | null; sent_at: string | null }>(OF_REPORT, [
    request().organisation.id,
    reportId,
  ]);
