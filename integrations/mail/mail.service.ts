import { CLEARING_TIMEOUT, clearOldEverywhere } from "../../core/clearing/clear.ts";
import { queryUnbound } from "../../core/database/connection/database.ts";
import { enqueue } from "../../core/database/query.ts";
import { internal } from "../../core/declare/makers/internal.ts";
import { job } from "../../core/jobs/jobs.ts";
import { nudgeOutbox } from "../../core/jobs/outbox.ts";
import { Mail, SEND_MAILS, scheduleMails } from "../../core/mail/mail.ts";
import type { MailNow } from "../../core/mail/mail-now.ts";
import { uuid } from "../../core/schema/schema.ts";
import { statement } from "../../core/sql/statement.ts";
import { resource } from "../../mixins/resource.ts";
import { handOverOwn } from "./hand-over.ts";
import { keptMail, keptMails } from "./kept.ts";
import { failedMails, sentMails, storedMails } from "./mail.due.ts";
import { sendDue, WAKE } from "./sending.ts";

const OPERATOR = "the instance administrator reads the mail of a box that cannot send any";
const EXPIRE = statement("select expire_mails()");
const FORGOTTEN = statement("select schedule_forgotten_mails() as organisations");
const NOW_DUE = statement(`update mails set due_at = statement_timestamp()
  where organisation_id = $1 and id = $2 and status = 'queued' and due_at is null`);

/** Sends the mails that `queueMail` recorded. */
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
    [SEND_MAILS]: {
      about: "Sends the due mails of an organisation, one job at a time for each",
      concurrency: 30,
      timeout: 120_000,
      retry: { attempts: 20, backoff: { first: 1000, factor: 2, most: 60_000 } },
      handler: sendDue,
    },
    [WAKE]: {
      about: "Queues the due attempts of an organisation's mails",
      retry: { attempts: 20, backoff: { first: 1000, factor: 2, most: 60_000 } },
      handler: ({ write }) => write(async () => scheduleMails()),
    },
    // Scheduled by the version before, one for each mail.
    "mail.send": job<{ mail_id: string }>({
      about: "Makes a mail of the version before due",
      handler: ({ organisation, payload, write }) =>
        write(async () => {
          enqueue(NOW_DUE, [organisation.id, payload.mail_id]);
          scheduleMails();
        }),
    }),
    "mail.clear": {
      about: "Removes stored mail after 24 hours, other mail by default after 30 days, and queues due mail that no job sends",
      per: "installation",
      schedule: "7 * * * *",
      timeout: CLEARING_TIMEOUT,
      async handler(run) {
        await queryUnbound(EXPIRE);
        const [row] = await queryUnbound<{ organisations: number }>(FORGOTTEN);
        if (row?.organisations) nudgeOutbox();
        await clearOldEverywhere(run, storedMails, sentMails, failedMails);
      },
    },
  },
  async stopped() {
    (await import("./transports/smtp.ts")).closeRelays();
  },
});
