import { randomBytes } from "node:crypto";
import { digest, sameDigest } from "../../../core/security/crypto.ts";

/** The account that a callback claims to be for. */
export interface CallbackToken {
  organisationId: string;
  accountId: string;
  secret: string;
}

const ID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const FORM = new RegExp(`^(${ID})\\.(${ID})\\.([A-Za-z0-9_-]{32})$`);

/** A secret for a callback address: 24 random bytes, URL-safe (money §11). */
export const newCallbackSecret = (): string => randomBytes(24).toString("base64url");

/** The token of a callback address: `<organisation>.<account>.<secret>`. */
export const callbackToken = ({ organisationId, accountId, secret }: CallbackToken): string =>
  `${organisationId}.${accountId}.${secret}`;

/** The parts of a token, or null if it is malformed. */
export function readCallbackToken(token: string): CallbackToken | null {
  const [, organisationId, accountId, secret] = FORM.exec(token) ?? [];
  return organisationId && accountId && secret ? { organisationId, accountId, secret } : null;
}

/** Whether a presented secret equals the stored one, compared in constant time. */
export const isSecret = (presented: string, stored: string): boolean => sameDigest(digest(presented), digest(stored));

/** The provider's callback URL for payments of an account. @param base the organisation's address */
export const callbackUrl = (base: string, provider: string, token: CallbackToken): string =>
  `${base}/api/v1/invoicing/payments/webhook/${provider}/${callbackToken(token)}`;
