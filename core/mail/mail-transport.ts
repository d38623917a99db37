import type { Config } from "../config/config.ts";
import type { MailProvider, MailSecurity } from "../config/mail-choices.ts";
import type { EmailSettingsRow } from "./email-settings.ts";

/** The usual port of a relay by its connection security (RFC 8314, RFC 6409). */
export const USUAL_PORT: Record<MailSecurity, number> = { none: 25, starttls: 587, tls: 465 };

/** Whether a provider supports inline pictures by content id (RFC 2392); Brevo's API only supports attachments. */
export const showsPictures = (provider: MailProvider): boolean => provider !== "brevo";

/** A complete mail transport. */
export interface MailTransport {
  /** Its owner: the organisation's settings or the operator's environment. */
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

/** The instance's own transport from the environment, or null. */
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
 * The current mail transport of an organisation, or null without one (conventions §19). Only its stored settings decide. If its own
 * transport is incomplete, or the instance's was withdrawn, mail is not sent and never rerouted.
 * @param stored the row of `email_settings`; undefined without one
 * @param secret the row's secret; null if missing or undecryptable
 * @param lent the instance's transport; null if missing or not available to this organisation
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
