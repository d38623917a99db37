import { queryOne } from "../../../core/database/query.ts";
import { catalogue } from "../../../core/declare/catalogue/catalogue.ts";
import { request } from "../../../core/request/context.ts";
import { type Statement, statement } from "../../../core/sql/statement.ts";

const counted = (linked: readonly string[]): Statement =>
  statement(`select count(*)::int as count from companies c where c.organisation_id = $1
    and ($2::uuid[] is null or c.id = any($2::uuid[])) and ($3::uuid[] is null or c.id in (select selected_companies($3::uuid[])))
    and c.id in (${linked.join(" union ")})
    and not exists (select from report_profiles p where p.organisation_id = c.organisation_id and p.company_id = c.id)`);
let known: Statement | undefined;

/**
 * Counts the visible clients with an active link to a source of figures, as declared by the sections' modules, but without a profile.
 * @param ids only these; null for all
 */
export async function unconfiguredClients(ids: readonly string[] | null): Promise<number> {
  const linked = catalogue().built.flatMap(({ manifest }) => manifest.reportClients ?? []);
  if (linked.length === 0) return 0;
  known ??= counted(linked);
  const { organisation, principal } = request();
  return (await queryOne<{ count: number }>(known, [organisation.id, ids, principal?.selection ?? null]))?.count ?? 0;
}
