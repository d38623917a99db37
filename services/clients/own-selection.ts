import { queryOne } from "../../core/database/query.ts";
import { statement } from "../../core/database/statement.ts";
import { forbidden } from "../../core/declare/errors.ts";
import { request } from "../../core/request/context.ts";

/** Whether a member now sees everything, or a company that its former sources (`$3`) do not hold. */
const WIDER = statement(`
  with mine as (
    select array(select g.group_id from company_group_memberships g where g.organisation_id = m.organisation_id and g.membership_id = m.id)
             || array_remove(array[p.id], null) as sources,
           p.id is not null or exists (
             select 1 from membership_roles mr join roles r on r.organisation_id = mr.organisation_id and r.id = mr.role_id
              where mr.organisation_id = m.organisation_id and mr.membership_id = m.id and r.is_system and r.key = 'client') as is_client
      from memberships m left join contacts p on p.organisation_id = m.organisation_id and p.account_id = m.account_id
     where m.organisation_id = $1 and m.id = $2)
  select (sources = '{}' and not is_client)
      or exists (select selected_companies(sources) except select selected_companies($3::uuid[])) as wider
    from mine`);

/**
 * To be called after a change of what a selection is made of, within its transaction: a caller who is bound to a selection may not
 * widen it (conventions §5), nor that of the member who looks into its login. Such a change moves the organisation's access revision first,
 * so of two at once the second counts what the first has left.
 * @throws 403 when the caller's own selection would hold a client that it did not hold; everything is undone with it
 */
export async function requireNotWidened(): Promise<void> {
  const { organisation, principal } = request();
  if (!principal?.membershipId) return;
  for (const { membershipId, selection } of principal.impersonation?.sides ?? [principal]) {
    if (selection === null) continue;
    const now = await queryOne<{ wider: boolean }>(WIDER, [organisation.id, membershipId, selection]);
    if (now?.wider) throw forbidden();
  }
}
