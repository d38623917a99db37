import { queryUnbound } from "../../core/database/connection/database.ts";
import { columns } from "../../core/database/model.ts";
import { enqueue, queryOne } from "../../core/database/query.ts";
import { internal } from "../../core/declare/makers/internal.ts";
import { JobFailure } from "../../core/errors/job-failure.ts";
import { job, type OrganisationRun } from "../../core/jobs/jobs.ts";
import { Mail } from "../../core/mail/mail.ts";
import type { MailNow } from "../../core/mail/mail-now.ts";
import { keepsMail, transportOf } from "../../core/mail/mail-sender.ts";
import { uuid } from "../../core/schema/schema.ts";
import { statement } from "../../core/sql/statement.ts";
import { resource } from "../../mixins/resource.ts";
import { compose } from "./compose.ts";
import { handOverOwn } from "./hand-over.ts";
import { keptMail, keptMails } from "./kept.ts";
import { loadForMail, outgoing, partsOf, type StoredMail } from "./outgoing.ts";
import { deliver } from "./transports/deliver.ts";
import { MailFailure } from "./transports/transport.ts";

const OPERATOR = "the instance administrator reads the mail of a box that cannot send any";
/** Maximum age of a mail to send, in milliseconds: after that its link is dead and its news is old. */
const LONGEST_WAIT = 24 * 3_600_000;

const TAKE = statement(`update mails set attempts = attempts + 1, updated_at = statement_timestamp()
  where organisation_id = $1 and id = $2 and status = 'queued' returning ${columns(Mail)}`);
const SENT = statement(`update mails set status = 'sent', sent_at = statement_timestamp(), transport = $3, last_error = null,
    version = version + 1, updated_at = statement_timestamp() where organisation_id = $1 and id = $2 and status = 'queued'`);
const NOT_SENT =
  statement(`update mails set status = $3, last_error = $4, version = version + 1, updated_at = statement_timestamp()
  where organisation_id = $1 and id = $2 and status = 'queued'`);
const CLEAR = statement("select remove_old_mails()");

type SendRun = OrganisationRun<{ mail_id: string }>;

/** Records why a mail was not sent; `failed` and `kept` are final. */
function note(run: SendRun, status: "queued" | "failed" | "kept", error: string): Promise<void> {
  return run.write(async () => enqueue(NOT_SENT, [run.organisation.id, run.payload.mail_id, status, error]));
}

/** Counts an attempt and reads the mail's content; undefined if it is no longer queued. */
async function take(run: SendRun): Promise<({ mail: StoredMail } & Awaited<ReturnType<typeof loadForMail>>) | undefined> {
  const mail = await queryOne<StoredMail>(TAKE, [run.organisation.id, run.payload.mail_id]);
  return mail && { mail, ...(await loadForMail(mail.kind, mail.locale)) };
}

/**
 * Composes and sends a mail. Acceptance by the other side and the stored `sent` cannot be atomic: if the node dies between them, the mail
 * is sent again with the same Message-ID and link.
 */
async function send(run: SendRun): Promise<void> {
  const taken = await run.write(() => take(run));
  if (!taken) return;
  const { mail, sender, override } = taken;
  if (Date.now() - Date.parse(mail.created_at) > LONGEST_WAIT) return note(run, "failed", "errors.email_expired");
  const transport = transportOf(sender, mail.kind);
  // The transport was withdrawn meanwhile; mail is never rerouted (conventions §19).
  if (!transport) return note(run, keepsMail() ? "kept" : "failed", "errors.email_not_configured");
  const parts = partsOf(mail);
  try {
    const composed = await compose(parts, sender, run.organisation, override, ({ message }) =>
      run.logger.warn(
        { event: "mail.own_text_not_used", kind: mail.kind, error: message },
        "an organisation's own text could not be used; the built-in one was sent",
      ),
    );
    const finished = outgoing(mail, composed, sender, transport, run.organisation.id);
    await deliver(transport, finished, parts.token === "" ? [] : [parts.token], run.signal);
  } catch (error) {
    const failure = error instanceof MailFailure ? error : new MailFailure("errors.server", false);
    if (failure !== error)
      run.logger.error(
        { event: "mail.mail_not_made", kind: mail.kind, error: (error as Error).message },
        "a mail could not be made",
      );
    await note(run, failure.permanent || run.lastAttempt ? "failed" : "queued", failure.message);
    if (failure.permanent) throw new JobFailure(failure.message);
    throw failure.retryAfter === null ? failure : new JobFailure(failure.message, failure.retryAfter);
  }
  await run.write(async () => enqueue(SENT, [run.organisation.id, mail.id, transport.provider]));
}

/** Sends the mail that `queueMail` recorded. */
export default resource("mail", {
  model: Mail,
  actions: {
    kept: internal({
      summary: "List the unsent mail of every organisation",
      open: OPERATOR,
      needs: "administrator",
      handler: () => keptMails(),
    }),

    keptOne: internal({
      summary: "Read one unsent mail, as it would have been sent",
      open: OPERATOR,
      needs: "administrator",
      path: { mail_id: uuid() },
      handler: (ctx) => keptMail(ctx.params.mail_id),
    }),

    handOver: internal({
      summary: "Send a mail while the caller waits, and report whether the relay accepted it",
      open: "internal; the calling actor has checked access",
      acts: "outside",
      handler: (ctx) => handOverOwn(ctx.broker, ctx.params as unknown as MailNow),
    }),
  },
  jobs: {
    "mail.send": job<{ mail_id: string }>({
      about: "Makes one mail and hands it over",
      concurrency: 10,
      timeout: 90_000,
      retry: { attempts: 8, backoff: { first: 5_000, factor: 4, most: 3_600_000 } },
      handler: send,
    }),
    "mail.clear": {
      about: "Removes stored mail after 24 hours, other mail after 30 days",
      per: "installation",
      schedule: "7 * * * *",
      handler: () => queryUnbound(CLEAR),
    },
  },
  async stopped() {
    (await import("./transports/smtp.ts")).closeRelays();
  },
});
