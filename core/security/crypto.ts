import {
  createCipheriv,
  createDecipheriv,
  createHash,
  hash as hashOnce,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";
import { availableParallelism } from "node:os";
import { hash, verify } from "@node-rs/argon2";

/** SHA-256 of a high-entropy secret, the only form in which keys and session values are stored. */
export const digest = (secret: string): Buffer => createHash("sha256").update(secret).digest();

/** The same in base64, in a fifth of the time: for what every request computes. */
export const digestText = (secret: string): string => hashOnce("sha256", secret, "base64");

/** Whether two digests are equal, in constant time. */
export const sameDigest = (one: Buffer, other: Buffer): boolean => one.length === other.length && timingSafeEqual(one, other);

/** A random secret of `bytes` bytes as lower-case hex. */
export const randomHex = (bytes: number): string => randomBytes(bytes).toString("hex");

/**
 * The cost of a password's hash: OWASP's second recommended setting for argon2id, 19 MiB, two passes, parallelism 1. Tests lower it, because
 * they create and sign in thousands of people.
 */
export const PASSWORD_COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Maximum concurrent hashes. Each takes a core for some 20 ms, so this leaves one core for everything else; further hashes queue. */
const PLACES = Math.max(1, availableParallelism() - 1);
let busy = 0;
const line: (() => void)[] = [];

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (busy < PLACES) busy += 1;
  else await new Promise<void>((enter) => line.push(enter));
  try {
    return await work();
  } finally {
    const next = line.shift();
    if (next) next();
    else busy -= 1;
  }
}

/** Hashes a password with argon2id, off the event loop. */
export const hashPassword = (password: string): Promise<string> => inTurn(() => hash(password, PASSWORD_COST));

let decoy: Promise<string> | undefined;

/**
 * Whether the password matches the hash. Without a hash, it verifies against a decoy, so that the duration does not reveal whether an
 * account exists.
 */
export async function passwordFits(password: string, stored: string | null): Promise<boolean> {
  decoy ??= hashPassword(randomHex(16));
  const wanted = stored ?? (await decoy);
  const fits = await inTurn(() => verify(wanted, password)).catch(() => false);
  return stored !== null && fits;
}

/** Derives a 32-byte key for one purpose from the instance's secret (RFC 5869). */
export const deriveKey = (secret: string, purpose: string): Buffer => Buffer.from(hkdfSync("sha256", secret, "", purpose, 32));

/** A key for secrets at rest, with the id that marks its ciphertexts. */
export interface SealingKey {
  /** Eight hex digits derived from the same secret; they reveal nothing about it. */
  id: string;
  bytes: Buffer;
}

/** The sealing key for an encryption key or main secret. */
export const sealingKey = (secret: string): SealingKey => ({
  id: deriveKey(secret, "secrets at rest: key id").toString("hex", 0, 4),
  bytes: deriveKey(secret, "secrets at rest"),
});

/**
 * Encrypts a secret that must be readable again: AES-256-GCM as `v1.<key id>.<nonce>.<tag>.<text>`, the last three base64url.
 * @param place binds the text; decryption requires the same place (additional authenticated data)
 */
export function encrypt(plain: string, { id, bytes }: SealingKey, place: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", bytes, nonce).setAAD(Buffer.from(place));
  const text = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
  return ["v1", id, ...[nonce, cipher.getAuthTag(), text].map((part) => part.toString("base64url"))].join(".");
}

/** The id of the key that sealed a text; null if we did not seal it. */
export const keyIdOf = (sealed: string): string | null => /^v1\.([0-9a-f]{8})\./.exec(sealed)?.[1] ?? null;

/** Decrypts a text from `encrypt`; null if it cannot be decrypted, in which case the secret counts as not configured (conventions §16). */
export function decrypt(sealed: string, keys: readonly SealingKey[], place: string): string | null {
  const [, id, nonce, tag, text] = sealed.split(".");
  const key = keys.find((one) => one.id === id);
  if (keyIdOf(sealed) === null || !key || !nonce || !tag || text === undefined) return null;
  try {
    const decipher = createDecipheriv("aes-256-gcm", key.bytes, Buffer.from(nonce, "base64url"), { authTagLength: 16 });
    decipher.setAAD(Buffer.from(place)).setAuthTag(Buffer.from(tag, "base64url"));
    return decipher.update(text, "base64url", "utf8") + decipher.final("utf8");
  } catch {
    return null;
  }
}
