import { query, queryOne } from "../core/database/query.ts";
import { forbidden } from "../core/errors/errors.ts";
import { request } from "../core/request/context.ts";
import { statement } from "../core/sql/statement.ts";

/** Members whose view a write may change, in addition to the caller. */
export interface AffectedMembers {
  memberships?: readonly string[];
  /** All members of a group of companies. */
  groupId?: string;
  /** The contact's login, if it has one. */
  contactId?: string;
}

/** A member's view: the groups and contact of its selection, or everything. */
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

/** Locks them, so that no other request adds one of them to a group or removes it meanwhile. */
const LOCK = statement(`with ${CONCERNED}
  select m.id from memberships m where m.organisation_id = $1 and m.id in (select id from concerned) order by m.id for update`);
const BEFORE = statement(`with ${CONCERNED} ${VIEW}`);
/** Whether one of them now sees everything, or a client that neither its earlier view (`$5`) nor the caller's (`$6`) included. */
const WIDER = statement(`with ${CONCERNED},
  before as (select b.id, b.sources, b.is_unrestricted from jsonb_to_recordset($5::jsonb) b(id uuid, sources uuid[], is_unrestricted boolean)),
  now as (${VIEW})
  select exists (select 1 from now n left join before b on b.id = n.id
    where not coalesce(b.is_unrestricted, false) and (n.is_unrestricted or exists (
      select selected_companies(n.sources)
      except (select selected_companies(coalesce(b.sources, '{}')) union all select selected_companies($6::uuid[]))))) as wider`);

/**
 * Changes the basis of selections: groups, their companies and members, roles, logins of contacts. A caller with a restricted selection
 * must not widen any view, its own included, to a client that it does not see; during impersonation this covers both sides' memberships
 * (conventions §5). The change bumps the organisation's access revision, so of two concurrent ones the second sees the first's result. A
 * caller without a selection costs no statement.
 * @param concerned members whose view may change; the caller's own is always checked
 * @param change runs in the running transaction
 * @throws 403 if a member would see more than the member and the caller did; the transaction is rolled back
 */
export async function withoutWidening<T>(concerned: AffectedMembers, change: () => T | Promise<T>): Promise<T> {
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
