import { createHmac } from "node:crypto";
import { runtime } from "../config/runtime.ts";
import { column, newId, tenantModel } from "../database/model.ts";
import { queueInsert } from "../database/write.ts";
import type { MailKindName } from "../declare/messages.ts";
import { schedule } from "../jobs/jobs.ts";
import { deriveKey, digest } from "../security/crypto.ts";
import { tracing } from "../tracing/tracing.ts";
import { keepsMail, loadSender, transportOf } from "./mail-sender.ts";

const { instant, integer, json, text, uuid } = column;

export const Mail = tenantModel("mails", {
  kind: text<MailKindName>(),
  status: text<"queued" | "sent" | "failed" | "kept">().withDefault(),
  account_id: uuid().orNull(),
  to_address: text(),
  to_name: text().orNull(),
  reply_to: text().orNull(),
  locale: text().orNull(),
  variables: json<Readonly<Record<string, MailValue>>>().withDefault(),
  link: text().orNull(),
  entity_type: text().orNull(),
  entity_id: uuid().orNull(),
  transport: text().orNull(),
  attempts: integer().withDefault(),
  last_error: text().orNull(),
  sent_at: instant().orNull(),
  due_at: instant().orNull().byDatabase(),
  traceparent: text().orNull(),
});

/** Values for a template: texts, numbers and lists of them. Never a secret, because they are stored in plain text. */
export type MailValue = string | number | boolean | null | readonly MailValue[] | { readonly [name: string]: MailValue };

/** A mail to send after a write. */
export interface MailRequest {
  kind: MailKindName;
  /** `locale` null: the organisation's. `accountId`: the recipient's account. */
  to: {
    address: string;
    name?: string | null | undefined;
    locale?: string | null | undefined;
    accountId?: string | null | undefined;
  };
  /** Variables in addition to `brand`, `name` and `link`. */
  variables?: Readonly<Record<string, MailValue>>;
  /** A path on the organisation's own address; `{token}` is replaced by the link's secret. */
  link?: string | undefined;
  replyTo?: string | null | undefined;
  entity?: { type: string; id: string } | undefined;
}

/** The result of queueing a mail, for the endpoint's answer (conventions §19). */
export interface MailPromise {
  id: string;
  /** `*_email_sent`: true if it will be sent. */
  sent: boolean;
  /** `*_email_error`: a translation key; null if it will be sent. */
  error: string | null;
  /** SHA-256 of the link's secret; store it with the record that the link unlocks. Null for a link without a secret. */
  tokenHash: Buffer | null;
}

/** The form of a single recipient's address; some records contain addresses that were never checked (clients chapter §4.2). */
const ONE_RECIPIENT = /^[^\s@<>"(),:;[\]\\\p{C}]+@[^\s@<>"(),:;[\]\\\p{C}]+$/u;

/** Whether an address is a single valid recipient. */
export const isOneRecipient = (address: string): boolean => ONE_RECIPIENT.test(address);

const NOT_CONFIGURED = "errors.email_not_configured";

/**
 * The secret in a mail's link. Derived from the mail's id, so that it is stored nowhere and a retried mail has the same one. 256 bits as 43
 * characters of base64url.
 */
export function mailToken(mailId: string): string {
  const key = deriveKey(runtime().secret, "secrets in mailed links");
  return createHmac("sha256", key).update(mailId).digest("base64url");
}

/** The job that sends the due mails of an organisation; only one at a time per organisation. */
export const SEND_MAILS = "mail.send-due";
/** The column of a new mail that makes it due, in SQL. */
const DUE_NOW = { due_at: "statement_timestamp()" };

/** Schedules the sending of the organisation's due mails, in the current transaction. */
export const scheduleMails = (): void => void schedule(SEND_MAILS, {}, { key: "mails", dedupe: "mails" });

/**
 * Records a mail in the running transaction; a job sends it after the commit. It never makes the write fail: without a transport the result
 * says so.
 */
export async function queueMail(mail: MailRequest): Promise<MailPromise> {
  const [promise] = await queueMails([mail]);
  return promise as MailPromise;
}

/** Records several mails, reading the organisation's sender once. */
export async function queueMails(mails: readonly MailRequest[]): Promise<MailPromise[]> {
  const sender = await loadSender();
  const promises = mails.map((mail) => record(mail, transportOf(sender, mail.kind) !== null));
  if (promises.some(({ sent }) => sent)) scheduleMails();
  return promises;
}

function record({ kind, to, variables = {}, link, replyTo, entity }: MailRequest, hasTransport: boolean): MailPromise {
  const id = newId();
  const error = !isOneRecipient(to.address) ? "errors.invalid_email" : hasTransport ? null : NOT_CONFIGURED;
  const unsent =
    error === NOT_CONFIGURED && keepsMail() ? ({ status: "kept" } as const) : ({ status: "failed", last_error: error } as const);
  const row = {
    id,
    kind,
    account_id: to.accountId ?? null,
    to_address: to.address,
    to_name: to.name ?? null,
    reply_to: replyTo ?? null,
    locale: to.locale ?? null,
    variables,
    link: link ?? null,
    entity_type: entity?.type ?? null,
    entity_id: entity?.id ?? null,
    traceparent: tracing?.traceparent() ?? null,
  };
  if (error === null) queueInsert(Mail, { ...row, status: "queued" }, DUE_NOW);
  else queueInsert(Mail, { ...row, ...unsent });
  return {
    id,
    sent: error === null,
    error,
    tokenHash: link?.includes("{token}") ? digest(mailToken(id)) : null,
  };
}
