import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { hash, verify } from "@node-rs/argon2";

/** SHA-256 of a high-entropy secret, the only form in which keys and session values are stored. */
export const digest = (secret: string): Buffer => createHash("sha256").update(secret).digest();

/** Whether two digests are equal, in constant time. */
export const sameDigest = (one: Buffer, other: Buffer): boolean => one.length === other.length && timingSafeEqual(one, other);

/** A random secret of `bytes` bytes as lower-case hex. */
export const randomHex = (bytes: number): string => randomBytes(bytes).toString("hex");

/** OWASP's second recommended setting for argon2id: 19 MiB, two passes, one lane. */
const ARGON2ID = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Hashes a password with argon2id, off the event loop. */
export const hashPassword = (password: string): Promise<string> => hash(password, ARGON2ID);

let decoy: Promise<string> | undefined;

/**
 * Whether the password fits the hash. Without a hash the same work is done against a decoy, so that time tells nobody whether an
 * account exists.
 */
export async function passwordFits(password: string, stored: string | null): Promise<boolean> {
  decoy ??= hashPassword(randomHex(16));
  const fits = await verify(stored ?? (await decoy), password).catch(() => false);
  return stored !== null && fits;
}

/** Derives a 32-byte key for one purpose from the instance's secret (RFC 5869). */
export const deriveKey = (secret: string, purpose: string): Buffer => Buffer.from(hkdfSync("sha256", secret, "", purpose, 32));

/** Encrypts a secret that must be read back: AES-256-GCM as `v1.<nonce>.<tag>.<text>`, base64url. */
export function encrypt(plain: string, key: Buffer): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const text = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
  return ["v1", ...[nonce, cipher.getAuthTag(), text].map((part) => part.toString("base64url"))].join(".");
}

/** Decrypts what `encrypt` made, or gives null when it no longer decrypts: such a secret counts as not configured (conventions §16). */
export function decrypt(sealed: string, key: Buffer): string | null {
  const [version, nonce, tag, text] = sealed.split(".");
  if (version !== "v1" || !nonce || !tag || text === undefined) return null;
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(nonce, "base64url"));
    decipher.setAuthTag(Buffer.from(tag, "base64url"));
    return decipher.update(text, "base64url", "utf8") + decipher.final("utf8");
  } catch {
    return null;
  }
}
