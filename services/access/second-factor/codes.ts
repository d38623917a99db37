import { createHmac } from "node:crypto";
import { generateURI, verifySync } from "otplib";
import { runtime } from "../../../core/config/runtime.ts";
import { deriveKey, randomHex } from "../../../core/security/crypto.ts";

/** Number of backup codes a person gets at a time (access §2.1). */
const BACKUP_CODES = 10;
/** Length of a time step, and so of the drift allowed either way, in seconds (RFC 6238; access §2.1). */
const STEP = 30;

/**
 * The time step a six-digit code belongs to, when that is now, the one before or the one after, and later than the last accepted one;
 * else null.
 * @param at seconds since 1970
 */
export function totpStep(secret: string, typed: string, lastStep: number, at: number): number | null {
  const token = typed.replaceAll(/\s/g, "");
  if (!/^\d{6}$/.test(token)) return null;
  const result = verifySync({ secret, token, epoch: at, epochTolerance: STEP, afterTimeStep: lastStep });
  return result.valid && "timeStep" in result ? (result.timeStep as number) : null;
}

/** The longest address of an enrolment: a QR code holds little more. */
export const LONGEST_ADDRESS = 2_000;
/** Characters of the issuer where its whole name does not fit: with any e-mail address these do. */
const SHORT_ISSUER = 40;

/** What an authenticator app scans, at most `LONGEST_ADDRESS` characters: a longer one shows the beginning of the issuer's name. */
export function enrolmentAddress(issuer: string, label: string, secret: string): string {
  const whole = generateURI({ issuer, label, secret });
  return whole.length <= LONGEST_ADDRESS
    ? whole
    : generateURI({ issuer: [...issuer].slice(0, SHORT_ISSUER).join("").trim(), label, secret });
}

/** New backup codes as they are shown once: ten hex characters as `xxxxx-xxxxx`. */
export const newBackupCodes = (): string[] => Array.from({ length: BACKUP_CODES }, () => randomHex(5).replace(/^(.{5})/, "$1-"));

/** A backup code as it is compared: case, dashes and spaces do not count. */
export const plainBackupCode = (typed: string): string => typed.replaceAll(/[\s-]/g, "").toLowerCase();

/** What is stored of a short code: guessing it from a stolen table takes the main secret as well (conventions §16). */
export const codeDigest = (accountId: string, code: string): Buffer =>
  createHmac("sha256", deriveKey(runtime().secret, "sign-in codes")).update(`${accountId}:${code}`).digest();

/** A phone number as it is stored, `+` and 7 to 15 digits without spaces, or null when it is none (access §2.2). */
export function plainPhone(typed: string): string | null {
  const phone = typed.replaceAll(/\s/g, "");
  return /^\+\d{7,15}$/.test(phone) ? phone : null;
}

/** The number as it is shown: the first and last three characters, the rest bullets (access §2.2). */
export const maskedPhone = (phone: string): string =>
  phone.slice(0, 3) + "•".repeat(Math.max(0, phone.length - 6)) + phone.slice(-3);
