import { randomBytes } from "node:crypto";

/** Whose calendar a push message says it is about. */
export interface ChannelToken {
  organisationId: string;
  connectionId: string;
  secret: string;
}

const ID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const FORM = new RegExp(`^(${ID})\\.(${ID})\\.([A-Za-z0-9_-]{43})$`);

/** A secret of a channel: 32 random bytes, url-safe. */
export const newChannelSecret = (): string => randomBytes(32).toString("base64url");

/** The token of a channel, `<organisation>.<connection>.<secret>` (workspace §2.3); shorter than the 256 characters that Google takes. */
export const channelToken = ({ organisationId, connectionId, secret }: ChannelToken): string =>
  `${organisationId}.${connectionId}.${secret}`;

/** The parts of a token, or null for any other text. */
export function readChannelToken(token: string): ChannelToken | null {
  const [, organisationId, connectionId, secret] = FORM.exec(token) ?? [];
  return organisationId && connectionId && secret ? { organisationId, connectionId, secret } : null;
}
