import { createHmac } from "node:crypto";
import { parsePhoneNumberFromString } from "libphonenumber-js/max";
import { runtime } from "../config/runtime.ts";
import { column, newId, tenantModel } from "../database/model.ts";
import { insert } from "../database/write.ts";
import { catalogue } from "../declare/catalogue/catalogue.ts";
import type { SmsKind, SmsKindName } from "../declare/messages.ts";
import { schedule } from "../jobs/jobs.ts";
import { deriveKey } from "../security/crypto.ts";

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

/** What a module declares of a kind of text message. */
export const smsKind = (name: SmsKindName): SmsKind => catalogue().sms[name] as SmsKind;

/** A text message a write promises. */
export interface SmsRequest {
  kind: SmsKindName;
  /** As typed, with `+`. */
  phone: string;
  /** The recipient's language; null is the organisation's. */
  locale?: string | null | undefined;
  /** Whose message it is, so that it goes with the account. */
  accountId?: string | null | undefined;
}

/** What an endpoint that promises a text message reports. */
export interface SmsPromise {
  id: string;
  /** True when it will be sent. */
  sent: boolean;
  /** A translation key, null when it will be sent. */
  error: string | null;
  /** The code the message will carry, to be kept as a digest beside what it opens. It is nowhere stored. */
  code: string;
}

/** Whether this installation can send text messages. */
export function smsAvailable(): boolean {
  const { smsApiKey, smsSender } = runtime().config;
  return smsApiKey !== undefined && smsSender !== undefined;
}

/** A phone number as E.164 without blanks, whatever its numbering plan knows; null for what is none. */
export function e164(phone: string): string | null {
  const number = parsePhoneNumberFromString(phone)?.number ?? phone.replace(/\s/g, "");
  return /^\+\d{7,15}$/.test(number) ? number : null;
}

/**
 * The six digits a message carries: derived from its id and the main secret, so that they are in no row and no job, and a message that
 * is sent again carries the same ones.
 */
export function smsCode(id: string): string {
  const bytes = createHmac("sha256", deriveKey(runtime().secret, "codes in text messages")).update(id).digest();
  return String(bytes.readUIntBE(0, 6) % 1_000_000).padStart(6, "0");
}

/**
 * Records a text message in the running transaction; it is made and sent after the commit. Never a reason for the write to fail: where
 * nothing sends it, the promise says so.
 */
export function queueSms({ kind, phone, locale, accountId }: SmsRequest): SmsPromise {
  const id = newId();
  const number = e164(phone);
  const impossible = number === null ? "errors.invalid_phone" : smsAvailable() ? null : "errors.sms_not_configured";
  if (impossible === null && number !== null) {
    insert(SmsMessage, { id, kind, status: "queued", phone: number, locale: locale ?? null, account_id: accountId ?? null });
    schedule("sms.send", { sms_id: id });
  }
  return { id, sent: impossible === null, error: impossible, code: smsCode(id) };
}
