import { enqueue } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";

const WRITE = statement(`insert into operator_audit (action, organisation, slug, actor, detail)
  values ($1, $2, $3, coalesce((select email from accounts where id = $4), $5), $6)`);

/**
 * Records a step of service access in the operator's trail, which outlives the organisation, in the running transaction.
 * @param name the actor, if it is not the request's principal
 */
export function operatorTrail(action: string, detail: Record<string, unknown>, name?: string): void {
  const { organisation, principal } = request();
  const actor = [name === undefined ? (principal?.accountId ?? null) : null, name ?? principal?.name ?? "system"];
  enqueue(WRITE, [action, organisation.id, organisation.slug, ...actor, JSON.stringify(detail)]);
}
