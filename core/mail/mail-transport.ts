import type { Config } from "../config/config.ts";
import type { MailProvider, MailSecurity } from "../config/mail-choices.ts";
import type { EmailSettingsRow } from "./email-settings.ts";

/** The usual port of a relay by how its connection is protected (RFC 8314, RFC 6409). */
export const USUAL_PORT: Record<MailSecurity, number> = { none: 25, starttls: 587, tls: 465 };

/** Where a picture can stand inside a text by its content id (RFC 2392); Brevo's API knows attachments only. */
export const showsPictures = (provider: MailProvider): boolean => provider !== "brevo";

/** A way to send that lacks nothing. */
export interface MailTransport {
  /** Whose it is: what an organisation set up, or what the operator set in the environment. */
  owner: "organisation" | "instance";
  provider: MailProvider;
  fromAddress: string;
  fromName: string | null;
  replyTo: string | null;
  host: string | null;
  port: number | null;
  security: MailSecurity;
  username: string | null;
  secret: string | null;
}

const isComplete = ({ provider, host, username, secret }: MailTransport): boolean =>
  provider === "smtp" ? host !== null && (username === null || secret !== null) : secret !== null;

/** The instance's own transport as the environment describes it, or null. */
export function instanceTransport(config: Config): MailTransport | null {
  if (!config.mailProvider || !config.mailFromAddress) return null;
  return {
    owner: "instance",
    provider: config.mailProvider,
    fromAddress: config.mailFromAddress,
    fromName: config.mailFromName ?? null,
    replyTo: null,
    host: config.mailHost ?? null,
    port: config.mailPort ?? null,
    security: config.mailSecurity,
    username: config.mailUsername ?? null,
    secret: config.mailSecret ?? null,
  };
}

/**
 * What sends the mail of an organisation now, or null when nothing does (conventions §19). What it stored decides alone: an own
 * transport that lacks something, or the instance's after it was withdrawn, sends nowhere and is never rerouted.
 * @param stored the row of `email_settings`, undefined when nothing was stored
 * @param secret the row's secret, null when there is none or it no longer decrypts
 * @param lent the instance's transport, null when there is none or this organisation is not included
 */
export function activeTransport(
  stored: Omit<EmailSettingsRow, "secret"> | undefined,
  secret: string | null,
  lent: MailTransport | null,
): MailTransport | null {
  if (!stored) return lent;
  const { provider, from_name: fromName, reply_to: replyTo } = stored;
  if (provider === "instance") return lent && { ...lent, fromName: fromName ?? lent.fromName, replyTo };
  const own: MailTransport = {
    owner: "organisation",
    provider,
    fromAddress: stored.from_address ?? "",
    fromName,
    replyTo,
    host: stored.host,
    port: stored.port,
    security: stored.security,
    username: stored.username,
    secret,
  };
  return own.fromAddress !== "" && isComplete(own) ? own : null;
}
