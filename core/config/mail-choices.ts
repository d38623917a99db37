import { namedValues } from "../naming/named-values.ts";

/** Supported mail services and relays. */
export const MAIL_PROVIDERS = ["smtp", "brevo", "sendgrid", "smtp2go"] as const;
export type MailProvider = (typeof MAIL_PROVIDERS)[number];

export const MAIL_SECURITY = namedValues("MailSecurity", ["none", "starttls", "tls"]);
export type MailSecurity = (typeof MAIL_SECURITY)[number];
