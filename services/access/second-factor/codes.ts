import { createHmac } from "node:crypto";
import { runtime } from "../../../core/config/runtime.ts";
import { deriveKey, randomHex } from "../../../core/security/crypto.ts";
import { later } from "../../../core/values/later.ts";

const otplib = later<typeof import("otplib")>("otplib");

/** Number of backup codes per set (access §2.1). */
const BACKUP_CODES = 10;
/** Length of a time step, and the allowed drift in either direction, in seconds (RFC 6238; access §2.1). */
const STEP = 30;

/**
 * The time step of a six-digit code: the current, previous or next one, and later than the last accepted; else null.
 * @param at seconds since 1970
 */
export function totpStep(secret: string, typed: string, lastStep: number, at: number): number | null {
  const token = typed.replaceAll(/\s/g, "");
  if (!/^\d{6}$/.test(token)) return null;
  const result = otplib().verifySync({ secret, token, epoch: at, epochTolerance: STEP, afterTimeStep: lastStep });
  return result.valid && "timeStep" in result ? (result.timeStep as number) : null;
}

/** Longest enrolment address in characters: a QR code holds little more. */
export const LONGEST_ADDRESS = 2_000;
/** Characters of the issuer kept if the whole name does not fit; they fit with any e-mail address. */
const SHORT_ISSUER = 40;

/** The address an authenticator app scans, at most `LONGEST_ADDRESS` characters: a longer one gets a shortened issuer. */
export function enrolmentAddress(issuer: string, label: string, secret: string): string {
  const { generateURI } = otplib();
  const whole = generateURI({ issuer, label, secret });
  return whole.length <= LONGEST_ADDRESS
    ? whole
    : generateURI({ issuer: [...issuer].slice(0, SHORT_ISSUER).join("").trim(), label, secret });
}

/** A new secret of 20 bytes for an authenticator app, in base32. */
export const newTotpSecret = (): string => otplib().generateSecret({ length: 20 });

/** New backup codes, shown once: ten hex characters as `xxxxx-xxxxx`. */
export const newBackupCodes = (): string[] => Array.from({ length: BACKUP_CODES }, () => randomHex(5).replace(/^(.{5})/, "$1-"));

/** A backup code in comparable form: without case, dashes and spaces. */
export const plainBackupCode = (typed: string): string => typed.replaceAll(/[\s-]/g, "").toLowerCase();

/** The stored form of a short code: guessing it from a stolen table also requires the main secret (conventions §16). */
export const codeDigest = (accountId: string, code: string): Buffer =>
  createHmac("sha256", deriveKey(runtime().secret, "sign-in codes")).update(`${accountId}:${code}`).digest();

/** A phone number as stored, `+` and 7 to 15 digits without spaces; null if invalid (access §2.2). */
export function plainPhone(typed: string): string | null {
  const phone = typed.replaceAll(/\s/g, "");
  return /^\+\d{7,15}$/.test(phone) ? phone : null;
}

/** A masked number: its first and last three characters, the rest as bullets (access §2.2). */
export const maskedPhone = (phone: string): string =>
  phone.slice(0, 3) + "•".repeat(Math.max(0, phone.length - 6)) + phone.slice(-3);
