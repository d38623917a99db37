import { newId } from "../../core/database/model.ts";
import { enqueue } from "../../core/database/query.ts";
import { impersonatorName } from "../../core/request/caller.ts";
import { request } from "../../core/request/context.ts";
import { statement } from "../../core/sql/statement.ts";

/** Details of an audited action. */
export interface Audited {
  role?: { id: string; key: string };
  targetAccountId?: string | null;
  /** The actor if it is not the request's principal: a person signing in has none yet. */
  actorId?: string;
  /** The name of an actor without an account: the operator. */
  actorName?: string;
  detail?: Record<string, unknown>;
}

const WRITE = statement(`insert into access_audit (id, organisation_id, action, actor_id, actor_email, role_id, role_key,
    target_account_id, detail, request_id)
  values ($1, $2, $3, $4, coalesce((select email from accounts where id = $4), $5), $6, $7, $8, $9, $10)`);

/**
 * Writes one row of the access audit (access §12) in the running transaction. Service accounts appear by name; an impersonating member is
 * named in the detail.
 */
export function audit(action: string, { role, targetAccountId = null, actorId, actorName, detail = {} }: Audited): void {
  const { organisation, principal, requestId } = request();
  const impersonator = impersonatorName();
  const actor = actorId ?? principal?.accountId ?? principal?.serviceAccountId ?? null;
  const name = actorName ?? principal?.name ?? null;
  enqueue(WRITE, [
    newId(),
    organisation.id,
    action,
    actor,
    name,
    role?.id ?? null,
    role?.key ?? null,
    targetAccountId,
    JSON.stringify(impersonator === null ? detail : { ...detail, impersonator_name: impersonator }),
    requestId,
  ]);
}
