import { randomBytes } from "node:crypto";
import { newId } from "../database/model.ts";
import { enqueue, queryOne } from "../database/query.ts";
import { statement } from "../database/statement.ts";
import { forbidden, notFound } from "../declare/errors.ts";
import { WILDCARD } from "../declare/permissions.ts";
import { requireNoImpersonation } from "../request/caller.ts";
import { request } from "../request/context.ts";
import { organisationAddress } from "../request/organisation-address.ts";
import { digest } from "../security/crypto.ts";

const TOKEN_BYTES = 32;

/** The person a calendar link belongs to, as of now. */
export interface CalendarReader {
  user_id: string;
  /** The language the person chose; null follows the organisation (conventions §15). */
  locale: string | null;
  grants: string[];
  /** Groups and contact that the person's selection is made of; null for one who sees every client (conventions §5). */
  selection: string[] | null;
  is_client: boolean;
}

type Found = Omit<CalendarReader, "selection"> & { sources: string[] };

/** The membership a link belongs to. @throws 403 for a caller who is no person */
function ownMembership(): string {
  const { principal } = request();
  if (!principal?.accountId || !principal.membershipId) throw forbidden();
  return principal.membershipId;
}

/**
 * The links of one kind of calendar: one per membership, of which only the hash of the token is stored (people chapter §16).
 * @param table where they are kept: `membership_id` and `token_hash`
 * @param path of the feed, under `/api/v1`
 */
export function calendarLinks(table: string, path: string) {
  const PUT = statement(`insert into ${table} (id, organisation_id, membership_id, token_hash) values ($1, $2, $3, $4)
    on conflict (organisation_id, membership_id) do update set token_hash = excluded.token_hash,
      version = ${table}.version + 1, updated_at = statement_timestamp()`);
  const REVOKE = statement(`delete from ${table} where organisation_id = $1 and membership_id = $2`);
  const READER = statement(`select m.account_id as user_id, a.locale,
      coalesce((select array_agg(distinct grants) from membership_roles mr
          join roles r on r.organisation_id = mr.organisation_id and r.id = mr.role_id, unnest(r.permissions) grants
         where mr.organisation_id = m.organisation_id and mr.membership_id = m.id), '{}') as grants,
      exists (select 1 from membership_roles mr join roles r on r.organisation_id = mr.organisation_id and r.id = mr.role_id
         where mr.organisation_id = m.organisation_id and mr.membership_id = m.id and r.is_system and r.key = 'client')
        or p.id is not null as is_client,
      coalesce((select array_agg(g.group_id) from company_group_memberships g
         where g.organisation_id = m.organisation_id and g.membership_id = m.id), '{}') || array_remove(array[p.id], null) as sources
    from ${table} t join memberships m on m.organisation_id = t.organisation_id and m.id = t.membership_id
    join accounts a on a.id = m.account_id
    left join contacts p on p.organisation_id = m.organisation_id and p.account_id = m.account_id
    where t.organisation_id = $1 and t.token_hash = $2 and m.deactivated_at is null and a.is_active`);

  return {
    /** Makes the caller's link, or replaces it: the token is in no later answer. @throws 403 for a caller who is no person, or another one */
    async make(): Promise<{ token: string; url: string }> {
      requireNoImpersonation(request().principal);
      const token = randomBytes(TOKEN_BYTES).toString("base64url");
      enqueue(PUT, [newId(), request().organisation.id, ownMembership(), digest(token)]);
      return { token, url: `${await organisationAddress()}/api/v1${path}?token=${token}` };
    },

    /** Ends the caller's link, if there is one. @throws 403 for a caller who is no person */
    revoke: (): void => enqueue(REVOKE, [request().organisation.id, ownMembership()]),

    /** Whose feed a token opens now. @throws 404, the same for every token that is none */
    async readerOf(token: string): Promise<CalendarReader> {
      const found = await queryOne<Found>(READER, [request().organisation.id, digest(token)]);
      if (!found) throw notFound();
      const { sources, ...reader } = found;
      const unrestricted = reader.grants.includes(WILDCARD) || (sources.length === 0 && !reader.is_client);
      return { ...reader, selection: unrestricted ? null : sources };
    },
  };
}
