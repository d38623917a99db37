import { newId } from "../../../core/database/model.ts";
import type { MailRequest } from "../../../core/mail/mail.ts";
import type { MailNow } from "../../../core/mail/mail-now.ts";
import { BrevoSimulator } from "../../simulators/mail-apis.ts";
import { until } from "../jobs.ts";
import { startService, type Tenant, type TestService } from "../service.ts";
import { Mailbox, relayOf } from "./mailbox.ts";
import { proofMail } from "./proof-mail.ts";

/** The response for one mail of an endpoint that queues mails. */
export interface Promised {
  id: string;
  sent: boolean;
  error: string | null;
  token_hash: string | null;
}

/** A service that sends through a real relay, with a new organisation for every test. */
export class MailWorld {
  readonly mailbox = new Mailbox();
  readonly brevo = new BrevoSimulator();
  service!: TestService;
  tenant!: Tenant;

  /** @param settings of the service, in addition to those of mail */
  async start(settings: Record<string, string> = {}): Promise<void> {
    await this.mailbox.start();
    await this.brevo.start();
    const urls = { SERVICE_MAIL_BREVO_API_URL: this.brevo.baseUrl, SERVICE_JOBS_POLL_MS: "250" };
    this.service = await startService({ ...relayOf(this.mailbox), ...urls, ...settings }, [proofMail]);
  }

  async stop(): Promise<void> {
    await this.service.stop();
    await this.mailbox.stop();
    await this.brevo.stop();
  }

  async renew(): Promise<void> {
    this.mailbox.reset();
    this.brevo.reset();
    this.tenant = await this.service.tenant();
  }

  /** Queues mails in one write of the organisation. */
  async promise(...mails: MailRequest[]): Promise<Promised[]> {
    return (await this.tenant.owner.post("/proof/mails", { mails })).body;
  }

  /** Queues one mail. */
  async promiseOne(mail: MailRequest): Promise<Promised> {
    return (await this.promise(mail))[0] as Promised;
  }

  /** The stored row of a mail. */
  async row(id: string): Promise<Record<string, unknown> & { status: string; last_error: string | null }> {
    return (await this.service.sql.query("select * from mails where id = $1", [id])).rows[0];
  }

  /** Makes every waiting mail and job due now, without its backoff. */
  async hurry(): Promise<void> {
    await this.service.sql.query("update mails set due_at = now() where status = 'queued' and due_at > now()");
    await this.service.sql.query("update jobs.agenda_jobs set next_run_at = now() where next_run_at > now() and type = 'normal'");
  }

  /** Waits until the first attempt has failed. */
  failedOnce(id: string): Promise<unknown> {
    return until(async () => (await this.row(id)).last_error);
  }

  /** Waits until a mail was sent, kept or given up; returns that status. */
  ended(id: string): Promise<string> {
    return until(async () => {
      const { status } = await this.row(id);
      if (status !== "queued") return status;
      await this.hurry();
      return null;
    });
  }
}

/** A mail with a secret in its link. */
export const resetMail = (address: string, more: Partial<MailRequest["to"]> = {}): MailRequest => ({
  kind: "reset",
  to: { address, name: "Eva de Wit", ...more },
  link: "/reset-password?token={token}",
});

/** A mail that is sent at once, with a file and a picture. */
export const mailWithFiles = (more: Partial<MailNow> = {}): MailNow => ({
  id: newId(),
  kind: "invite",
  to: { address: "eva@noord.test", name: "Eva de Wit", locale: "nl" },
  variables: {},
  link: "/invoice/abc",
  files: [{ name: "2026-0001.pdf", type: "application/pdf", base64: Buffer.from("%PDF-1.7").toString("base64") }],
  picture: {
    name: "invoice-qr.png",
    type: "image/png",
    base64: Buffer.from("PNG").toString("base64"),
    alt: "Scan",
  },
  ...more,
});
