import { columns } from "../../core/database/model.ts";
import { enqueue, query, queryOne } from "../../core/database/query.ts";
import { waitAfter } from "../../core/jobs/definition.ts";
import { drain } from "../../core/jobs/drain.ts";
import { writeInsistently } from "../../core/jobs/insisting.ts";
import { type OrganisationRun, schedule } from "../../core/jobs/jobs.ts";
import { Mail, scheduleMails } from "../../core/mail/mail.ts";
import { keepsMail, transportOf } from "../../core/mail/mail-sender.ts";
import { redact } from "../../core/outbound/redact.ts";
import { statement } from "../../core/sql/statement.ts";
import { inSpan } from "../../core/tracing/tracing.ts";
import { compose } from "./compose.ts";
import { loadForMail, outgoing, partsOf, type StoredMail } from "./outgoing.ts";
import { deliver } from "./transports/deliver.ts";
import { MailFailure } from "./transports/transport.ts";

/** The job that has the due mails of an organisation sent once an attempt is due. */
export const WAKE = "mail.wake";

/** Maximum age of a mail to send, in milliseconds: after that its link is dead and its news is old. */
const LONGEST_WAIT = 24 * 3_600_000;
/** Attempts per mail, in about three hours. */
const ATTEMPTS = 8;
const BACKOFF = { first: 5_000, factor: 4, most: 3_600_000 };
/** Mails per run, and how many of them are sent in parallel: as many as a relay has connections. */
const MOST = 50;
const AT_ONCE = 5;
/** Milliseconds after which a run starts no further mail: the next run continues, behind those of other organisations. */
const SPENT = 15_000;
/** Longest delivery in milliseconds. A run that starts its last mail when its time is up still ends before its timeout. */
const LONGEST_DELIVERY = 90_000;

const DUE = statement(`select id from mails where organisation_id = $1 and status = 'queued' and due_at <= statement_timestamp()
  order by due_at, id limit ${MOST}`);
const NEXT = statement(`select min(due_at) as at, min(due_at) <= statement_timestamp() as is_due from mails
  where organisation_id = $1 and status = 'queued' and due_at is not null`);
const TAKE = statement(`update mails set attempts = attempts + 1, updated_at = statement_timestamp()
  where organisation_id = $1 and id = $2 and status = 'queued' returning ${columns(Mail)}`);
const SENT = statement(`update mails set status = 'sent', sent_at = statement_timestamp(), transport = $3, last_error = null,
    version = version + 1, updated_at = statement_timestamp() where organisation_id = $1 and id = $2 and status = 'queued'`);
const ENDED = statement(`update mails set status = $3, last_error = $4, version = version + 1, updated_at = statement_timestamp()
  where organisation_id = $1 and id = $2 and status = 'queued'`);
const LATER =
  statement(`update mails set last_error = $3, due_at = statement_timestamp() + $4 * interval '1 ms', version = version + 1,
    updated_at = statement_timestamp() where organisation_id = $1 and id = $2 and status = 'queued'`);

/** Schedules the organisation's next run: now if more is due, else at the next attempt. */
async function planNext(organisationId: string): Promise<void> {
  const next = await queryOne<{ at: string | null; is_due: boolean | null }>(NEXT, [organisationId]);
  if (!next?.at) return;
  if (next.is_due) scheduleMails();
  else schedule(WAKE, {}, { dedupe: "mails", runAt: new Date(next.at) });
}

/** Counts an attempt and reads the mail's content; undefined if it is no longer queued. */
async function take(organisationId: string, id: string) {
  const mail = await queryOne<StoredMail>(TAKE, [organisationId, id]);
  return mail && { mail, ...(await loadForMail(mail.kind, mail.locale)) };
}

/** Records that a mail will not be sent, and why. */
const end = (run: OrganisationRun, id: string, status: "failed" | "kept", error: string): Promise<void> =>
  writeInsistently(run, async () => enqueue(ENDED, [run.organisation.id, id, status, error]));

/** Records a failed attempt: the mail is due again later, unless it was refused for good or this was its last attempt. */
async function failed(run: OrganisationRun, { id, kind, attempts }: StoredMail, failure: MailFailure): Promise<void> {
  const isLast = failure.permanent || attempts >= ATTEMPTS;
  const wait = isLast ? null : Math.max(waitAfter({ backoff: BACKOFF }, attempts), failure.retryAfter ?? 0);
  run.logger.warn(
    { event: "mail.not_sent", kind, attempt: attempts, wait, error: redact(failure.message) },
    "a mail could not be handed over",
  );
  if (wait === null) return end(run, id, "failed", failure.message);
  await writeInsistently(run, async () => enqueue(LATER, [run.organisation.id, id, failure.message, wait]));
}

/**
 * Composes and sends a mail. Acceptance by the other side and the stored `sent` cannot be atomic: if the node dies between them, the mail
 * is sent again with the same Message-ID and link. An attempt that the node cut off by stopping leaves the mail due.
 */
async function send(run: OrganisationRun, id: string): Promise<void> {
  const taken = await run.write(() => take(run.organisation.id, id));
  if (!taken) return;
  const { mail, sender, override } = taken;
  if (Date.now() - Date.parse(mail.created_at) > LONGEST_WAIT) return end(run, id, "failed", "errors.email_expired");
  const transport = transportOf(sender, mail.kind);
  // The transport was withdrawn meanwhile; mail is never rerouted (conventions §19).
  if (!transport) return end(run, id, keepsMail() ? "kept" : "failed", "errors.email_not_configured");
  const parts = partsOf(mail);
  try {
    const composed = await compose(parts, sender, run.organisation, override, ({ message }) =>
      run.logger.warn(
        { event: "mail.own_text_not_used", kind: mail.kind, error: message },
        "an organisation's own text could not be used; the built-in one was sent",
      ),
    );
    const finished = outgoing(mail, composed, sender, transport, run.organisation.id);
    const signal = AbortSignal.any([run.signal, AbortSignal.timeout(LONGEST_DELIVERY)]);
    await inSpan(
      {
        name: "send mail",
        kind: "client",
        parent: mail.traceparent,
        attributes: {
          "kantoor.mail.kind": mail.kind,
          "kantoor.mail.provider": transport.provider,
          "kantoor.organisation.id": run.organisation.id,
        },
      },
      () => deliver(transport, finished, parts.token === "" ? [] : [parts.token], signal),
    );
  } catch (error) {
    if (run.signal.aborted) return;
    const failure = error instanceof MailFailure ? error : new MailFailure("errors.server", false);
    if (failure !== error)
      run.logger.error(
        { event: "mail.mail_not_made", kind: mail.kind, error: (error as Error).message },
        "a mail could not be made",
      );
    return failed(run, mail, failure);
  }
  await writeInsistently(run, async () => enqueue(SENT, [run.organisation.id, id, transport.provider]));
}

/**
 * Sends the due mails of one organisation, the longest due first. The job has one run at a time in an organisation, so nothing claims the
 * rows: a relay that hangs delays no mail of another organisation. A mail that fails waits for its own next attempt.
 */
export async function sendDue(run: OrganisationRun): Promise<void> {
  const { organisation, signal } = run;
  const due = await run.read(() => query<{ id: string }>(DUE, [organisation.id]));
  await drain(due, { atOnce: AT_ONCE, longest: SPENT, signal }, ({ id }) => send(run, id));
  await run.write(() => planNext(organisation.id));
}
