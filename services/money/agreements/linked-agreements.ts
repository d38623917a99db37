import { query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { visibleSubscription } from "./subscription.list.ts";

const LINKED =
  statement(`select l.project_id, json_agg(json_build_object('subscription_id', t.id, 'name', t.name, 'status', t.status,
      'included_hours', t.included_hours::text, 'interval', t.interval, 'interval_count', t.interval_count)) as agreements
    from subscription_projects l join subscriptions t on t.organisation_id = l.organisation_id and t.id = l.subscription_id
   where l.organisation_id = $1 and l.project_id = any($2::uuid[]) and ($3::uuid[] is null or ${visibleSubscription("$3::uuid[]")})
   group by l.project_id`);

/** The agreements linked to projects, in any status, by project; only those of clients the caller sees. */
export async function linkedAgreements(projectIds: readonly string[]): Promise<Record<string, unknown>> {
  const { organisation, principal } = request();
  const values = [organisation.id, projectIds, principal?.selection ?? null];
  const found = await query<{ project_id: string; agreements: unknown }>(LINKED, values);
  return Object.fromEntries(found.map(({ project_id, agreements }) => [project_id, agreements]));
}
