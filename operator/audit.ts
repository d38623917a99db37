import type pg from "pg";

/** An operator's access action, as the organisation's access audit records it (access §12). */
export interface AuditEntry {
  action: string;
  role?: { id: string; key: string };
  targetAccountId?: string | null;
  detail?: Record<string, unknown>;
}

/**
 * Writes one row of the access audit in the running transaction. The operator has no account, so the actor stays empty; the detail names the
 * instance administrator, or the command line.
 */
export async function audit(
  client: pg.ClientBase,
  organisationId: string,
  { action, role, targetAccountId = null, detail = {} }: AuditEntry,
): Promise<void> {
  await client.query(
    `insert into access_audit (organisation_id, action, role_id, role_key, target_account_id, detail)
     values ($1, $2, $3, $4, $5, $6::jsonb || jsonb_build_object('by', coalesce(nullif(current_setting('app.operator', true), ''), 'command line')))`,
    [organisationId, action, role?.id ?? null, role?.key ?? null, targetAccountId, detail],
  );
}
