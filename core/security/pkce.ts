import { createHash, timingSafeEqual } from "node:crypto";

const FORM = /^[A-Za-z0-9._~-]{43,128}$/;

/** Whether a challenge is acceptable: method S256 only, 43 to 128 characters (RFC 7636 §4.2, access §8.3). */
export const isChallenge = (challenge: string, method: string): boolean => method === "S256" && FORM.test(challenge);

/** Whether a verifier matches a challenge (RFC 7636 §4.6). */
export function isVerifierOf(verifier: string, challenge: string): boolean {
  if (!FORM.test(verifier)) return false;
  const made = Buffer.from(createHash("sha256").update(verifier).digest("base64url"));
  const kept = Buffer.from(challenge);
  return made.length === kept.length && timingSafeEqual(made, kept);
}
