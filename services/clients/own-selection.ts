import { queryOne } from "../../core/database/query.ts";
import { statement } from "../../core/database/statement.ts";
import { forbidden } from "../../core/declare/errors.ts";
import { request } from "../../core/request/context.ts";

/** Whether a member now sees everything, or a company that its former sources (`$3`) do not hold. */
const WIDER = statement(`
  select m.selection is null or exists (select selected_companies(m.selection) except select selected_companies($3::uuid[])) as wider
    from member_access m where m.organisation_id = $1 and m.membership_id = $2`);

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
