import { randomBytes } from "node:crypto";
import { newId } from "../database/model.ts";
import { enqueue, queryOne } from "../database/query.ts";
import { forbidden, notFound } from "../errors/errors.ts";
import { organisationAddress } from "../organisation/organisation-address.ts";
import { requireNoImpersonation } from "../request/caller.ts";
import { request } from "../request/context.ts";
import { digest } from "../security/crypto.ts";
import { statement } from "../sql/statement.ts";

const TOKEN_BYTES = 32;

/** The current owner of a calendar link. */
export interface CalendarReader {
  user_id: string;
  /** The person's language; null for the organisation's (conventions §15). */
  locale: string | null;
  grants: string[];
  /** Groups and contact of the person's selection; null if unrestricted (conventions §5). */
  selection: string[] | null;
  is_client: boolean;
}

/** The caller's membership. @throws 403 if the caller is not a person */
function ownMembership(): string {
  const { principal } = request();
  if (!principal?.accountId || !principal.membershipId) throw forbidden();
  return principal.membershipId;
}

/**
 * The links of one kind of calendar: one per membership, with only the hash of its token stored (people chapter §16).
 * @param table with the columns `membership_id` and `token_hash`
 * @param path of the feed, under `/api/v1`
 */
export function calendarLinks(table: string, path: string) {
  const PUT = statement(`insert into ${table} (id, organisation_id, membership_id, token_hash) values ($1, $2, $3, $4)
    on conflict (organisation_id, membership_id) do update set token_hash = excluded.token_hash,
      version = ${table}.version + 1, updated_at = statement_timestamp()`);
  const REVOKE = statement(`delete from ${table} where organisation_id = $1 and membership_id = $2`);
  const READER = statement(`select m.account_id as user_id, a.locale, m.grants, m.selection, m.is_client
    from ${table} t join member_access m on m.organisation_id = t.organisation_id and m.membership_id = t.membership_id and m.is_live
    join accounts a on a.id = m.account_id
    where t.organisation_id = $1 and t.token_hash = $2`);

  return {
    /** Creates or replaces the caller's link; no later answer contains its token. @throws 403 if not a person, or impersonating */
    async make(): Promise<{ token: string; url: string }> {
      requireNoImpersonation(request().principal);
      const token = randomBytes(TOKEN_BYTES).toString("base64url");
      enqueue(PUT, [newId(), request().organisation.id, ownMembership(), digest(token)]);
      return { token, url: `${await organisationAddress()}/api/v1${path}?token=${token}` };
    },

    /** Deletes the caller's link, if there is one. @throws 403 if the caller is not a person */
    revoke: (): void => enqueue(REVOKE, [request().organisation.id, ownMembership()]),

    /** The current owner of a token's feed. @throws 404 for every invalid token alike */
    async readerOf(token: string): Promise<CalendarReader> {
      const reader = await queryOne<CalendarReader>(READER, [request().organisation.id, digest(token)]);
      if (!reader) throw notFound();
      return reader;
    },
  };
}
