import { query } from "../../../core/database/query.ts";
import { drain } from "../../../core/jobs/drain.ts";
import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { statement } from "../../../core/sql/statement.ts";
import { type Observed, observe, storeObservations } from "./observation.ts";

/** Domains read and written per statement. */
const PAGE = 200;
/** Domains checked concurrently, each with three lookups. */
const AT_ONCE = 25;

const NEXT = statement(`select id, name from domains where organisation_id = $1 and ($2::uuid is null or id > $2)
    and (not $3 or dns_checked_at is null or dns_checked_at < now() - interval '1 hour') order by id limit $4`);

type DomainName = Pick<Observed, "id" | "name">;

/** Observes some domains, at most `AT_ONCE` concurrently. */
async function lookAt(domains: readonly DomainName[], signal: AbortSignal): Promise<Observed[]> {
  const observed: Observed[] = [];
  await drain(domains, { atOnce: AT_ONCE, signal }, async (domain) =>
    observed.push({ ...domain, ...(await observe(domain.name, signal)) }),
  );
  return observed;
}

/**
 * Observes all domains of an organisation, page by page (assets §2.6): two statements per 200 domains, and no database connection during
 * the DNS lookups. A retried run continues where the previous one stopped.
 */
export async function lookAtAll(
  run: Pick<OrganisationRun, "organisation" | "attempt" | "read" | "write" | "signal">,
): Promise<void> {
  const { organisation, attempt, signal } = run;
  for (let after: string | null = null; ; ) {
    const values = [organisation.id, after, attempt > 1, PAGE];
    const domains: DomainName[] = await run.read(() => query<DomainName>(NEXT, values));
    const observed = await lookAt(domains, signal);
    // An aborted lookup proves nothing about its domain.
    signal.throwIfAborted();
    await run.write(async () => storeObservations(observed));
    if (domains.length < PAGE) return;
    after = domains.at(-1)?.id ?? null;
  }
}
