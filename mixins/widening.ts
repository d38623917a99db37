import { query, queryOne } from "../core/database/query.ts";
import { statement } from "../core/database/statement.ts";
import { forbidden } from "../core/declare/errors.ts";
import { request } from "../core/request/context.ts";

/** Whose view a write may change, beside the caller's own. */
export interface Concerned {
  memberships?: readonly string[];
  /** Everyone in a group of companies. */
  groupId?: string;
  /** The login of a contact, where it has one. */
  contactId?: string;
}

/** What a member sees: the groups and the contact a selection is made of, or everything. */
interface View {
  id: string;
  sources: string[];
  is_unrestricted: boolean;
}

/** The views of memberships, with their organisation in `$1` (conventions §5). */
const VIEW = `select m.membership_id as id, m.sources, m.selection is null as is_unrestricted
  from member_access m where m.organisation_id = $1 and m.membership_id in (select id from concerned)`;
/** Memberships by id (`$2`), of a group (`$3`) and of a contact's login (`$4`). */
const CONCERNED = `concerned as (
  select m.membership_id as id from member_access m
   where m.organisation_id = $1 and (m.membership_id = any($2::uuid[]) or $3::uuid = any(m.sources) or m.contact_id = $4::uuid))`;

/** Locked, so that no other request puts one of them into or out of a group meanwhile. */
const LOCK = statement(`with ${CONCERNED}
  select m.id from memberships m where m.organisation_id = $1 and m.id in (select id from concerned) order by m.id for update`);
const BEFORE = statement(`with ${CONCERNED} ${VIEW}`);
/** Whether one of them sees everything now, or a client that neither it (`$5`) nor the caller (`$6`) saw. */
const WIDER = statement(`with ${CONCERNED},
  before as (select b.id, b.sources, b.is_unrestricted from jsonb_to_recordset($5::jsonb) b(id uuid, sources uuid[], is_unrestricted boolean)),
  now as (${VIEW})
  select exists (select 1 from now n left join before b on b.id = n.id
    where not coalesce(b.is_unrestricted, false) and (n.is_unrestricted or exists (
      select selected_companies(n.sources)
      except (select selected_companies(coalesce(b.sources, '{}')) union all select selected_companies($6::uuid[]))))) as wider`);

/**
 * Makes a change of what selections are made of (groups, their companies and members, roles, logins of contacts): a caller who is bound to a
 * selection may give neither itself nor anyone else sight of a client that it does not see itself, nor that of the member who looks into its
 * login (conventions §5). Such a change moves the organisation's access revision, so of two at once the second counts what the first has left.
 * A caller without a selection costs no statement.
 * @param concerned whose view it may change; the caller's own is always looked at
 * @param change makes it in the running transaction
 * @throws 403 when somebody would see more than they and the caller did; everything is undone with it
 */
export async function withoutWidening<T>(concerned: Concerned, change: () => T | Promise<T>): Promise<T> {
  const { organisation, principal } = request();
  if (!principal?.membershipId || principal.selection === null) return change();
  const own = principal.impersonation?.sides.map(({ membershipId }) => membershipId) ?? [principal.membershipId];
  const place = [
    organisation.id,
    [...new Set([...own, ...(concerned.memberships ?? [])])],
    concerned.groupId ?? null,
    concerned.contactId ?? null,
  ];
  await query(LOCK, place);
  const before = await query<View>(BEFORE, place);
  const changed = await change();
  const left = [place[0], [...new Set([...(place[1] as string[]), ...before.map(({ id }) => id)])], place[2], place[3]];
  const now = await queryOne<{ wider: boolean }>(WIDER, [...left, JSON.stringify(before), principal.selection]);
  if (now?.wider) throw forbidden();
  return changed;
}
