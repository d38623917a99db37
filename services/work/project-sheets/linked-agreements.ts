import { ofSelectedCompany } from "../../../core/database/lists/selection.ts";
import { query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { isEnabled } from "../../../mixins/contributions.ts";
import type { LinkedAgreement } from "../projects/budgets/burn-down.ts";

const LINKED =
  statement(`select l.project_id, json_agg(json_build_object('subscription_id', t.id, 'name', t.name, 'status', t.status,
      'included_hours', t.included_hours::text, 'interval', t.interval, 'interval_count', t.interval_count,
      'is_hidden', $3::uuid[] is not null and not ${ofSelectedCompany("t.company_id", "$3::uuid[]")})) as agreements
    from subscription_projects l join subscriptions t on t.organisation_id = l.organisation_id and t.id = l.subscription_id
   where l.organisation_id = $1 and l.project_id = any($2::uuid[])
   group by l.project_id`);

/**
 * The agreements linked to projects, by project, as `agreementsOf` returns them. An import reads them itself: its open transaction rejects
 * calls to other actors.
 */
export async function linkedAgreements(ids: readonly string[]): Promise<ReadonlyMap<string, readonly LinkedAgreement[]>> {
  const { organisation, principal } = request();
  if (ids.length === 0 || !isEnabled(organisation.enabledModules, "subscriptions")) return new Map();
  const values = [organisation.id, ids, principal?.selection ?? null];
  const found = await query<{ project_id: string; agreements: LinkedAgreement[] }>(LINKED, values);
  return new Map(found.map(({ project_id, agreements }) => [project_id, agreements]));
}
