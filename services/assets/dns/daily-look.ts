import { query } from "../../../core/database/query.ts";
import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { statement } from "../../../core/sql/statement.ts";
import { type DueDomain, observeAll, storeObservations } from "./observation.ts";

/** Domains read and written per statement. */
const PAGE = 200;

const NEXT = statement(`select id, name, case when dns_look_at <= now() then dns_look_at::text end as due from domains
  where organisation_id = $1 and ($2::uuid is null or id > $2)
    and (not $3 or dns_checked_at is null or dns_checked_at < now() - interval '1 hour') order by id limit $4`);

/**
 * Observes all domains of an organisation, page by page (assets §2.6): two statements per 200 domains, and no database connection during
 * the DNS lookups. A retried run continues where the previous one stopped. Domains that were due, because their job became a dead letter,
 * are so no more.
 */
export async function lookAtAll(
  run: Pick<OrganisationRun, "organisation" | "attempt" | "read" | "write" | "signal">,
): Promise<void> {
  const { organisation, attempt, signal } = run;
  for (let after: string | null = null; ; ) {
    const values = [organisation.id, after, attempt > 1, PAGE];
    const domains: DueDomain[] = await run.read(() => query<DueDomain>(NEXT, values));
    const observed = await observeAll(domains, signal);
    await run.write(async () => storeObservations(observed));
    if (domains.length < PAGE) return;
    after = domains.at(-1)?.id ?? null;
  }
}
