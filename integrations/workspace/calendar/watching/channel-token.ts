import { randomBytes } from "node:crypto";

/** The calendar and secret in the token of a push message. */
export interface ChannelToken {
  organisationId: string;
  connectionId: string;
  secret: string;
}

const ID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const FORM = new RegExp(`^(${ID})\\.(${ID})\\.([A-Za-z0-9_-]{43})$`);

/** A channel secret: 32 random bytes, URL-safe. */
export const newChannelSecret = (): string => randomBytes(32).toString("base64url");

/** The token of a channel, `<organisation>.<connection>.<secret>` (workspace §2.3). It is shorter than Google's limit of 256 characters. */
export const channelToken = ({ organisationId, connectionId, secret }: ChannelToken): string =>
  `${organisationId}.${connectionId}.${secret}`;

/** Parses a token; null if it is malformed. */
export function readChannelToken(token: string): ChannelToken | null {
  const [, organisationId, connectionId, secret] = FORM.exec(token) ?? [];
  return organisationId && connectionId && secret ? { organisationId, connectionId, secret } : null;
}
