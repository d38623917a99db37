import { randomBytes } from "node:crypto";
import { digest, sameDigest } from "../../../core/security/crypto.ts";

/** The instance and secret in the token of a delivery. */
export interface HookToken {
  organisationId: string;
  instanceId: string;
  secret: string;
}

const ID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const FORM = new RegExp(`^(${ID})\\.(${ID})\\.([A-Za-z0-9_-]{32})$`);

/** A secret for a webhook address: 24 random bytes, URL-safe. */
export const newHookSecret = (): string => randomBytes(24).toString("base64url");

/** Parses a token `<organisation>.<instance>.<secret>`; null if it is malformed. */
export function readHookToken(token: string): HookToken | null {
  const [, organisationId, instanceId, secret] = FORM.exec(token) ?? [];
  return organisationId && instanceId && secret ? { organisationId, instanceId, secret } : null;
}

/** Compares a presented secret with the stored one in constant time. */
export const isHookSecret = (presented: string, stored: string): boolean => sameDigest(digest(presented), digest(stored));

/** The webhook address of a server. @param base the organisation's address */
export const hookUrl = (base: string, { organisationId, instanceId, secret }: HookToken): string =>
  `${base}/api/v1/uptime/hook/${organisationId}.${instanceId}.${secret}`;
