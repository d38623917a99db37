import { queryOne } from "../../core/database/query.ts";
import { internal } from "../../core/declare/makers/internal.ts";
import { narrowed } from "../../core/declare/permissions.ts";
import type { Principal } from "../../core/declare/principal.ts";
import { LICENCE_COLUMNS, licenceOf, type StoredLicence } from "../../core/organisation/licence-state.ts";
import { request } from "../../core/request/context.ts";
import { operatorGrants } from "../../core/request/operator.ts";
import { statement } from "../../core/sql/statement.ts";
import { service } from "../../mixins/resource.ts";

/** Account, key, service account and operator visit of a principal; columns are null where it has none. */
const NOW = statement(`select ${LICENCE_COLUMNS}, a.is_active and m.is_live as is_live, m.grants, m.selection,
    k.scopes, k.revoked_at is null and (k.expires_at is null or k.expires_at > now()) as key_is_live, s.is_active as service_is_active,
    g.revoked_at is null and g.expires_at > now() as visit_is_live,
    (select r.permissions from roles r where r.organisation_id = $1 and r.is_system and r.key = 'admin') as administrator
  from organisations o
  left join accounts a on a.id = $2
  left join member_access m on m.organisation_id = o.id and m.account_id = a.id
  left join api_keys k on k.organisation_id = o.id and k.id = $3
  left join service_accounts s on s.organisation_id = o.id and s.id = $4
  left join service_access_grants g on g.organisation_id = o.id and g.id = $3
  where o.id = $1`);

interface Now extends StoredLicence {
  is_live: boolean | null;
  grants: string[] | null;
  selection: string[] | null;
  scopes: string[] | null;
  key_is_live: boolean | null;
  service_is_active: boolean | null;
  visit_is_live: boolean | null;
  administrator: string[] | null;
}

/** A principal's current rights; null if it has none left. An ended session does not reduce its person's rights. */
function rightsNow({ kind, credential }: Principal, row: Now): Pick<Principal, "grants" | "selection"> | null {
  const { grants, selection, scopes, administrator } = row;
  const isKey = credential.kind === "key";
  if (isKey && (row.key_is_live !== true || scopes === null)) return null;
  if (kind === "operator")
    return row.visit_is_live === true ? { grants: operatorGrants(administrator ?? []), selection: null } : null;
  if (kind === "service_account") return row.service_is_active === true ? { grants: scopes ?? [], selection: null } : null;
  if (kind !== "user" || row.is_live !== true || grants === null) return null;
  return { grants: isKey ? narrowed(scopes ?? [], grants) : [...new Set(grants)], selection };
}

/** Current rights of principals whose jobs continue without them. */
export default service("access.rights", {
  actions: {
    now: internal({
      summary: "The current permissions of the person who started a job",
      open: "for jobs that continue work a caller was allowed to start",
      needs: "everything",
      async handler(ctx): Promise<Principal | null> {
        const { starter } = ctx.params as unknown as { starter: Principal };
        const { accountId, serviceAccountId, credential } = starter;
        const row = await queryOne<Now>(NOW, [request().organisation.id, accountId, credential.id || null, serviceAccountId]);
        const rights = row && rightsNow(starter, row);
        return row && rights ? { ...starter, ...rights, licence: licenceOf(row) } : null;
      },
    }),
  },
});
