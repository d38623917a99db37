import { newId } from "../../../core/database/model.ts";
import { enqueue } from "../../../core/database/query.ts";
import { queueMail } from "../../../core/mail/mail.ts";
import { request } from "../../../core/request/context.ts";
import { digest } from "../../../core/security/crypto.ts";
import { statement } from "../../../core/sql/statement.ts";

/** Lifetime of a mailed link by kind, in seconds (access §1.3). */
export const TOKEN_SECONDS = { reset: 3_600, verify: 3_600, invite: 604_800 } as const;

export type TokenKind = keyof typeof TOKEN_SECONDS;

/** The account of a token; a changed address or password invalidates the token. */
export interface TokenOwner {
  id: string;
  email: string;
  full_name: string | null;
  locale: string | null;
  password_hash: string | null;
}

/** The page each kind of link opens. */
const PAGES: Record<TokenKind, string> = { reset: "/reset-password", verify: "/verify", invite: "/accept-invite" };

const FORGET = statement("delete from account_tokens where organisation_id = $1 and account_id = $2 and kind = $3");
const KEEP =
  statement(`insert into account_tokens (id, organisation_id, account_id, kind, token_hash, email, password_digest, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(secs => $8))`);

/** The password state a token is bound to. */
export const passwordDigest = (passwordHash: string | null): Buffer => digest(passwordHash ?? "");

/**
 * Queues a mail with a token link, within the running transaction. A new invite invalidates older ones.
 * @param id of the token's row
 * @returns the values for `*_email_sent` and `*_email_error` of the endpoint
 */
export async function mailToken(
  kind: TokenKind,
  owner: TokenOwner,
  id: string = newId(),
): Promise<{ sent: boolean; error: string | null }> {
  const place = [request().organisation.id, owner.id, kind];
  const mail = await queueMail({
    kind,
    to: { address: owner.email, name: owner.full_name, locale: owner.locale, accountId: owner.id },
    link: `${PAGES[kind]}?token={token}`,
  });
  if (kind === "invite") enqueue(FORGET, place);
  if (mail.tokenHash)
    enqueue(KEEP, [id, ...place, mail.tokenHash, owner.email, passwordDigest(owner.password_hash), TOKEN_SECONDS[kind]]);
  return { sent: mail.sent, error: mail.error };
}
