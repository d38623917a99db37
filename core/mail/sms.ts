import { createHmac } from "node:crypto";
import { runtime } from "../config/runtime.ts";
import { column, newId, tenantModel } from "../database/model.ts";
import { queueInsert } from "../database/write.ts";
import { catalogue } from "../declare/catalogue/catalogue.ts";
import type { SmsKind, SmsKindName } from "../declare/messages.ts";
import { schedule } from "../jobs/jobs.ts";
import { deriveKey } from "../security/crypto.ts";
import { later } from "../values/later.ts";

const phoneNumbers = later<typeof import("libphonenumber-js/max")>("libphonenumber-js/max");

export const SmsMessage = tenantModel("sms_messages", {
  kind: column.text<SmsKindName>(),
  status: column.text<"queued" | "sent" | "failed">().withDefault(),
  account_id: column.uuid().orNull(),
  phone: column.text(),
  locale: column.text().orNull(),
  gateway_id: column.text().orNull(),
  attempts: column.integer().withDefault(),
  last_error: column.text().orNull(),
  sent_at: column.instant().orNull(),
});

/** A module's declaration of a kind of text message. */
export const smsKind = (name: SmsKindName): SmsKind => catalogue().sms[name] as SmsKind;

/** A text message to send after a write. */
export interface SmsRequest {
  kind: SmsKindName;
  /** As entered, with `+`. */
  phone: string;
  /** The recipient's language; null for the organisation's. */
  locale?: string | null | undefined;
  /** The recipient's account. */
  accountId?: string | null | undefined;
}

/** The result of queueing a text message, for the endpoint's answer. */
export interface SmsPromise {
  id: string;
  /** True if it will be sent. */
  sent: boolean;
  /** A translation key; null if it will be sent. */
  error: string | null;
  /** The code in the message; store its digest with the record that it unlocks. The code itself is stored nowhere. */
  code: string;
}

/** Whether this installation can send text messages. */
export function smsAvailable(): boolean {
  const { smsApiKey, smsSender } = runtime().config;
  return smsApiKey !== undefined && smsSender !== undefined;
}

/** A phone number as E.164 without blanks, without a check against its numbering plan; null if invalid. */
export function e164(phone: string): string | null {
  const number = phoneNumbers().parsePhoneNumberFromString(phone)?.number ?? phone.replace(/\s/g, "");
  return /^\+\d{7,15}$/.test(number) ? number : null;
}

/**
 * The six digits in a message. Derived from its id and the main secret, so that no row or job contains them, and a resent message has the
 * same ones.
 */
export function smsCode(id: string): string {
  const bytes = createHmac("sha256", deriveKey(runtime().secret, "codes in text messages")).update(id).digest();
  return String(bytes.readUIntBE(0, 6) % 1_000_000).padStart(6, "0");
}

/**
 * Records a text message in the running transaction; a job sends it after the commit. It never makes the write fail: if nothing can send
 * the message, the result says so.
 */
export function queueSms({ kind, phone, locale, accountId }: SmsRequest): SmsPromise {
  const id = newId();
  const number = e164(phone);
  const impossible = number === null ? "errors.invalid_phone" : smsAvailable() ? null : "errors.sms_not_configured";
  if (impossible === null && number !== null) {
    queueInsert(SmsMessage, { id, kind, status: "queued", phone: number, locale: locale ?? null, account_id: accountId ?? null });
    schedule("sms.send", { sms_id: id });
  }
  return { id, sent: impossible === null, error: impossible, code: smsCode(id) };
}
