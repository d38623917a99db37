import { enqueue, queryOne } from "../../../core/database/query.ts";
import { invalid, refusal, tooSoon } from "../../../core/errors/errors.ts";
import { queueSms, smsAvailable } from "../../../core/mail/sms.ts";
import { statement } from "../../../core/sql/statement.ts";
import { codeDigest } from "./codes.ts";
import { type Factor, lockedUntil } from "./two-factors.ts";

/** Shortest time between two codes to one account; and a code's lifetime (access §2.1). */
const RESEND_MS = 30_000;
const LIFE_SECONDS = 600;

const LOCALE = statement("select locale from accounts where id = $1");
const KEEP = statement(`update two_factors set phone = $2, phone_confirmed_at = case when phone = $2 then phone_confirmed_at end,
    sms_code_hash = $3, sms_expires_at = now() + make_interval(secs => $4), sms_tries = 0, sms_sent_at = now(), updated_at = now()
  where account_id = $1`);

/** @throws 400 `sms_not_configured` if the instance has no gateway */
export function requireGateway(): void {
  if (!smsAvailable()) throw refusal("sms_not_configured");
}

/**
 * Sends a code to a phone within the running transaction, which holds the factor's lock; earlier codes become invalid.
 * @throws 429 `two_factor_locked` or `sms_resend_too_soon`, 422 `{phone}`
 */
export async function sendCode(factor: Factor, phone: string): Promise<void> {
  const now = Date.now();
  const until = lockedUntil(factor, now);
  if (until !== null) throw tooSoon("two_factor_locked", until);
  const next = factor.sms_sent_at === null ? now : Date.parse(factor.sms_sent_at) + RESEND_MS;
  if (now < next) throw tooSoon("sms_resend_too_soon", next);
  const account = await queryOne<{ locale: string | null }>(LOCALE, [factor.account_id]);
  const { error, code } = queueSms({
    kind: "second_factor",
    phone,
    locale: account?.locale ?? null,
    accountId: factor.account_id,
  });
  if (error === "errors.invalid_phone") throw invalid({ phone: error });
  if (error) throw refusal("sms_not_configured");
  enqueue(KEEP, [factor.account_id, phone, codeDigest(factor.account_id, code), LIFE_SECONDS]);
}
