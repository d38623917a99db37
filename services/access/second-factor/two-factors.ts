import { enqueue, queryOne } from "../../../core/database/query.ts";
import { type SealLocation, unseal } from "../../../core/database/sealed.ts";
import { sameDigest } from "../../../core/security/crypto.ts";
import { type Row, statement } from "../../../core/sql/statement.ts";
import type { Method } from "../sign-in/factor-methods.ts";
import { codeDigest, plainBackupCode, totpStep } from "./codes.ts";

/** Consecutive failures that lock every factor of an account, and for how long (access §2.1). */
const MOST_FAILURES = 8;
const LOCK_MS = 15 * 60_000;
/** Tries per code sent by text message. */
const MOST_TRIES = 5;

/** The second factor of an account as stored, locked until the transaction ends. */
export interface Factor {
  account_id: string;
  secret: string;
  confirmed_at: string | null;
  last_step: string;
  backup_codes: Buffer[];
  failures: number;
  last_failure_at: string | null;
  phone: string | null;
  phone_confirmed_at: string | null;
  sms_code_hash: Buffer | null;
  sms_expires_at: string | null;
  sms_tries: number;
  sms_sent_at: string | null;
}

const COLUMNS = `account_id, secret, confirmed_at, last_step, backup_codes, failures, last_failure_at, phone, phone_confirmed_at,
  sms_code_hash, sms_expires_at, sms_tries, sms_sent_at`;
/** The factor, read without a lock. */
export const FACTOR = statement(`select ${COLUMNS} from two_factors where account_id = $1`);
const LOCK = statement(`select ${COLUMNS} from two_factors where account_id = $1 for update`);
const TOTP_SPENT = statement(
  "update two_factors set last_step = $2, failures = 0, last_failure_at = null, updated_at = now() where account_id = $1",
);
const BACKUP_SPENT =
  statement(`update two_factors set backup_codes = array_remove(backup_codes, $2), failures = 0, last_failure_at = null,
    updated_at = now() where account_id = $1`);
const SMS_SPENT =
  statement(`update two_factors set sms_code_hash = null, sms_expires_at = null, failures = 0, last_failure_at = null,
    updated_at = now() where account_id = $1`);
const FAILED =
  statement(`update two_factors set failures = $2, last_failure_at = now(), sms_tries = sms_tries + $3, updated_at = now()
  where account_id = $1`);

/** The sealing address of a factor's secret. */
export const secretPlace = (accountId: string): SealLocation => ({
  table: "two_factors",
  column: "secret",
  organisation: null,
  row: accountId,
});

/** Locks the factor of an account, confirmed or pending; undefined if it has none. */
export const lockFactor = (accountId: string): Promise<Factor | undefined> => queryOne<Row & Factor>(LOCK, [accountId]);

/**
 * Until when recent failures block every code, even a right one.
 * @returns milliseconds since 1970; null if nothing is blocked
 */
export function lockedUntil(
  { failures, last_failure_at: last }: Pick<Factor, "failures" | "last_failure_at">,
  now: number,
): number | null {
  const until = failures >= MOST_FAILURES && last !== null ? Date.parse(last) + LOCK_MS : 0;
  return now < until ? until : null;
}

/** The failure count after one more; it restarts after a lock. */
export const failuresAfter = ({ failures }: Pick<Factor, "failures">): number => (failures >= MOST_FAILURES ? 1 : failures + 1);

/** The outcome of a code. `locking`: refused, and the eighth failure in a row. A time: not tried, because of a lock until then. */
export type CodeOutcome = "accepted" | "refused" | "locking" | { lockedUntil: number };

/**
 * Spends a code within the running transaction; the factor's lock ensures that no code passes twice. A refusal must be counted, so commit
 * whatever the outcome.
 */
export function spendCode(factor: Factor, method: Method, code: string): CodeOutcome {
  const now = Date.now();
  const until = lockedUntil(factor, now);
  if (until !== null) return { lockedUntil: until };
  if (accepts(factor, method, code, now)) return "accepted";
  const failures = failuresAfter(factor);
  enqueue(FAILED, [factor.account_id, failures, method === "sms" && factor.sms_code_hash ? 1 : 0]);
  return failures === MOST_FAILURES ? "locking" : "refused";
}

function accepts(factor: Factor, method: Method, code: string, now: number): boolean {
  const { account_id: id } = factor;
  if (method === "totp") {
    const secret = unseal(factor.secret, secretPlace(id));
    const step = secret === null ? null : totpStep(secret, code, Number(factor.last_step), Math.floor(now / 1000));
    if (step !== null) enqueue(TOTP_SPENT, [id, step]);
    return step !== null;
  }
  if (method === "backup") {
    const given = codeDigest(id, plainBackupCode(code));
    const found = factor.backup_codes.find((stored) => sameDigest(stored, given));
    if (found) enqueue(BACKUP_SPENT, [id, found]);
    return found !== undefined;
  }
  const { sms_code_hash: stored, sms_expires_at: expires, sms_tries: tries } = factor;
  if (!stored || !expires || Date.parse(expires) <= now || tries >= MOST_TRIES) return false;
  const fits = sameDigest(stored, codeDigest(id, code.replaceAll(/\s/g, "")));
  if (fits) enqueue(SMS_SPENT, [id]);
  return fits;
}
