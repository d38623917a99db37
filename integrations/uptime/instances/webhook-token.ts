import { randomBytes } from "node:crypto";
import { digest, sameDigest } from "../../../core/security/crypto.ts";

/** Who a delivery says it is from. */
export interface HookToken {
  organisationId: string;
  instanceId: string;
  secret: string;
}

const ID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const FORM = new RegExp(`^(${ID})\\.(${ID})\\.([A-Za-z0-9_-]{32})$`);

/** A secret for a webhook address: 24 random bytes, url-safe. */
export const newHookSecret = (): string => randomBytes(24).toString("base64url");

/** The parts of a token `<organisation>.<instance>.<secret>`, or null for what is none. */
export function readHookToken(token: string): HookToken | null {
  const [, organisationId, instanceId, secret] = FORM.exec(token) ?? [];
  return organisationId && instanceId && secret ? { organisationId, instanceId, secret } : null;
}

/** Whether a presented secret is the stored one; the time it takes says nothing about either. */
export const isHookSecret = (presented: string, stored: string): boolean => sameDigest(digest(presented), digest(stored));

/** Where a server posts to. @param base the organisation's address */
export const hookUrl = (base: string, { organisationId, instanceId, secret }: HookToken): string =>
  `${base}/api/v1/uptime/hook/${organisationId}.${instanceId}.${secret}`;
