import { query, queryOne } from "../../../core/database/query.ts";
import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { statement } from "../../../core/sql/statement.ts";
import { scheduleLooks } from "../domains/dns-looks.ts";
import { type DueDomain, observeAll, storeObservations } from "./observation.ts";

/** Domains looked up per run. */
const MOST = 100;

const DUE = statement(`select id, name, dns_look_at::text as due from domains
  where organisation_id = $1 and dns_look_at <= statement_timestamp() order by dns_look_at limit ${MOST}`);
const NEXT = statement("select min(dns_look_at) as at from domains where organisation_id = $1 and dns_look_at is not null");

/**
 * Looks up the domains of an organisation that are due longest, and schedules the next run while any are left: other organisations have
 * their turn in between. The job has one run at a time in an organisation, so nothing claims the rows. A domain stays due until its look-up
 * is stored: also after its node died, and after it was renamed during the look-up.
 */
export async function lookAtDue({ organisation, read, write, signal }: OrganisationRun): Promise<void> {
  const due = await read(() => query<DueDomain>(DUE, [organisation.id]));
  const observed = await observeAll(due, signal);
  await write(async () => {
    storeObservations(observed);
    const next = await queryOne<{ at: string | null }>(NEXT, [organisation.id]);
    if (next?.at) scheduleLooks(new Date(next.at));
  });
}
