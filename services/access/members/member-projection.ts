import { jsonArray } from "../../../core/database/projection.ts";
import { query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { JsonText, WrittenRow } from "../../../core/sql/json-text.ts";
import { type Bound, statement } from "../../../core/sql/statement.ts";
import { INVITE_MAIL_COLUMNS, inviteMail } from "../invite-mail.ts";

/** The roles of a membership as one row: their ids, and whether any is not the client role. */
export const HELD_ROLES = `left join lateral (
    select coalesce(json_agg(r.id order by r.position, r.key), '[]') as ids,
           coalesce(bool_or(not (r.is_system and r.key = 'client')), false) as is_staff
      from membership_roles mr join roles r on r.organisation_id = mr.organisation_id and r.id = mr.role_id
     where mr.organisation_id = m.organisation_id and mr.membership_id = m.id) held on true`;

/** A membership as `MemberRead`; `$2` is the caller's account. */
const MEMBER_COLUMNS = `
  select coalesce(a.custom_avatar_url, a.avatar_url) as avatar_url,
         s.is_client and s.selection is not null and not exists (select selected_companies(s.selection)) as company_scope_empty,
         m.deactivated_at, a.email, a.full_name, ${INVITE_MAIL_COLUMNS},
         s.is_live as is_active, coalesce(a.id = $2::uuid, false) as is_self, m.id as membership_id,
         held.ids as role_ids, exists (select 1 from two_factors f where f.account_id = a.id and f.confirmed_at is not null) as two_factor_enabled,
         a.id as user_id`;
const MEMBER = `from memberships m join accounts a on a.id = m.account_id
  join member_access s on s.organisation_id = m.organisation_id and s.membership_id = m.id ${HELD_ROLES}`;

const LIST = statement(
  `select ${jsonArray(`
  ${MEMBER_COLUMNS} ${MEMBER} ${inviteMail()}
   where m.organisation_id = $1 and ($3::timestamptz is null or greatest(m.updated_at, a.updated_at, invited.updated_at) >= $3::timestamptz)
     and not exists (select 1 from contacts c where c.organisation_id = m.organisation_id and c.account_id = m.account_id)
   order by a.email`)} as items`,
);
const ONE = statement(`select m.version, (select row_to_json(b) from (${MEMBER_COLUMNS}) b)::text as body
  ${MEMBER} ${inviteMail("$4")} where m.organisation_id = $1 and m.id = $3`);

/**
 * Client logins a caller with a selection may know of, in addition to itself: those of contacts it sees, by the rule of portal logins; staff
 * also those invited directly (conventions §5). `$2` is whether the caller is a client login, `$6` its selection, `$7` its account.
 */
const SEEN_LOGIN = `($6::uuid[] is null or m.account_id = $7 or c.id in (select selected_contacts($6::uuid[]))
    or not $2 and coalesce(not c.linked, true))`;

const LOOKUP = statement(
  `select ${jsonArray(`
  select coalesce(a.custom_avatar_url, a.avatar_url) as avatar_url, case when $2 then null else a.email end as email, a.full_name, a.is_active and m.deactivated_at is null as is_active, a.id as user_id
    from memberships m join accounts a on a.id = m.account_id ${HELD_ROLES}
    left join contacts c on c.organisation_id = m.organisation_id and c.account_id = m.account_id
   where m.organisation_id = $1 and (held.is_staff or $3 and ${SEEN_LOGIN})
     and ($4::text[] is null or m.id in (select h from members_holding($1, $4::text[]) h))
     and ($5::timestamptz is null or greatest(m.updated_at, a.updated_at) >= $5::timestamptz)
   order by nullif(a.full_name, '') collate kantoor_text nulls last, a.email`)} as items`,
);

/** The filters of the names of colleagues. */
interface MemberFilters {
  includeClients: boolean;
  holding: readonly string[] | null;
  since: string | null;
}

const caller = () => request().principal?.accountId ?? null;

/** The staff and directly invited clients, by e-mail (access §4.2). */
export async function listMembers(since: string | null): Promise<JsonText> {
  const [row] = await query<{ items: string }>(LIST, [request().organisation.id, caller(), since]);
  return new JsonText(row?.items ?? "[]");
}

/**
 * Names of colleagues for pickers and old records (access §4.3); a client login sees no e-mail addresses. Of client logins, a caller with a
 * selection gets those it may know of.
 * @param holding grants of which a member must hold one; null for every member
 */
export async function lookUpMembers({ includeClients, holding, since }: MemberFilters): Promise<JsonText> {
  const { organisation, principal } = request();
  const seen = [principal?.selection ?? null, caller()];
  const values = [organisation.id, principal?.isClientLogin ?? true, includeClients, holding, since, ...seen];
  const [row] = await query<{ items: string }>(LOOKUP, values);
  return new JsonText(row?.items ?? "[]");
}

/** One member, as the running write's answer. @param mailed whether the write requested an invite mail */
export function writtenMember(membershipId: string, mailed = false): WrittenRow {
  const bound: Bound = [ONE, [request().organisation.id, caller(), membershipId, mailed]];
  return new WrittenRow(bound);
}
