import { createHmac, randomBytes } from "node:crypto";

const PREFIX = "whsec_";
const SECRET_BYTES = 32;

/** A new secret in the Standard Webhooks format: `whsec_` and 256 bits in base64. */
export const newSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString("base64");

const signature = (secret: string, content: string): string => {
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  return `v1,${createHmac("sha256", key).update(content).digest("base64")}`;
};

/**
 * The headers of a message (Standard Webhooks, "Signature scheme"): HMAC-SHA256 of `id.timestamp.body` with each secret, the newest first.
 * @param id the same at every attempt; without a full stop, which separates the signed parts
 * @param now the moment of the attempt; the header has whole seconds of Unix time
 * @param secrets the currently valid ones
 */
export function signedHeaders(id: string, now: Date, body: string, secrets: readonly string[]): Record<string, string> {
  const timestamp = String(Math.floor(now.valueOf() / 1000));
  const content = `${id}.${timestamp}.${body}`;
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": secrets.map((secret) => signature(secret, content)).join(" "),
  };
}
