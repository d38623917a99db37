import { newId } from "../../../core/database/model.ts";
import { enqueue, query, queryOne } from "../../../core/database/query.ts";
import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { inOwnTransaction } from "../../../mixins/tenancy.ts";
import { MOST_IN_HOUR, skippedRuns, type WantedRun } from "./run-limits.ts";

/** An event as rules see it. */
export interface Occurred {
  event_id: string;
  event: string;
  entity_type: string;
  entity_id: string;
  payload: Readonly<Record<string, unknown>>;
}

/** An event and the runs it triggers: in order, the id of each, and the id and name of its rule. */
export interface Match extends Omit<Occurred, "event" | "event_id"> {
  trigger_event: string;
  company_id: string | null;
  /** The event's id: with the rule it identifies the run. */
  identity: string;
  run_ids: readonly string[];
  rule_ids: readonly string[];
  rule_names: readonly string[];
}

const KEEP =
  statement(`insert into automation_matches (id, organisation_id, trigger_event, entity_type, entity_id, company_id, depth,
    payload, identity, run_ids, rule_ids, rule_names)
  select m.id, $1, m.trigger_event, m.entity_type, m.entity_id, m.company_id, $3, m.payload, m.identity, m.run_ids,
      m.rule_ids, m.rule_names
    from jsonb_to_recordset($2::jsonb) m (id uuid, trigger_event text, entity_type text, entity_id uuid, company_id uuid, payload jsonb,
      identity text, run_ids uuid[], rule_ids uuid[], rule_names text[])`);

/** Matches expanded in one transaction: an import may leave very many. */
const AT_ONCE = 500;
/** Only one transaction at a time expands an organisation's runs, so that each counts the runs of the one before. */
const TAKE_TURNS = statement("select pg_advisory_xact_lock(hashtextextended('automation runs ' || $1::uuid, 0))");
const FOUND = statement(`with found as materialized (
    select m.id, m.created_at, m.entity_id, m.depth, m.run_ids, m.rule_ids from automation_matches m
     where m.organisation_id = $1 order by m.id limit ${AT_ONCE} for update)
  select f.id as match_id, r.id, r.rule_id, f.entity_id, f.depth, extract(epoch from f.created_at)::float8 as at,
      (select count(*)::int from (select from automation_runs e where e.organisation_id = $1 and e.entity_id = f.entity_id
        and e.rule_id = r.rule_id and e.status <> 'skipped' and e.created_at > f.created_at - interval '1 hour'
        limit ${MOST_IN_HOUR}) counted) as earlier
    from found f cross join lateral unnest(f.run_ids, f.rule_ids) r (id, rule_id)
   order by f.id, r.id`);
const LAY_OUT = statement(`with taken as (
    delete from automation_matches m where m.organisation_id = $1 and m.id = any($2::uuid[])
    returning m.created_at, m.trigger_event, m.entity_type, m.entity_id, m.company_id, m.depth, m.payload, m.identity, m.run_ids,
      m.rule_ids, m.rule_names)
  insert into automation_runs (id, organisation_id, created_at, updated_at, rule_id, rule_name, trigger_event, entity_type, entity_id,
    company_id, status, depth, payload, error, identity)
  select r.id, $1, t.created_at, t.created_at, a.id, r.rule_name, t.trigger_event, t.entity_type, t.entity_id, t.company_id,
      case when s.id is null then 'pending' else 'skipped' end, t.depth, t.payload, s.error, t.identity
    from taken t
   cross join lateral unnest(t.run_ids, t.rule_ids, t.rule_names) r (id, rule_id, rule_name)
    left join automation_rules a on a.organisation_id = $1 and a.id = r.rule_id
    left join unnest($3::uuid[], $4::text[]) s (id, error) on s.id = r.id
   order by r.id
  on conflict on constraint automation_runs_identity_key do nothing`);
const ANY = statement("select m.id from automation_matches m where m.organisation_id = $1 limit 1");

/**
 * Stores the runs of a transaction's events with it, one row per event: twenty run rows would add as many entries to each index of their
 * table while the writer waits. Readers of runs call `layOutRuns` first.
 */
export const keepMatches = (matches: readonly Match[], depth: number): void =>
  enqueue(KEEP, [request().organisation.id, JSON.stringify(matches.map((match) => ({ id: newId(), ...match }))), depth]);

/**
 * Inserts a row for every run stored with its event, except if its rule already has a run for that event.
 * @param write runs work in a transaction of its own
 */
export async function layOutRuns(write: OrganisationRun["write"]): Promise<void> {
  const some = async (): Promise<number> => {
    const { organisation, retryableConstraints } = request();
    // If a rule is deleted meanwhile, the retry leaves its runs without it.
    retryableConstraints.add("automation_runs_rule_fkey");
    enqueue(TAKE_TURNS, [organisation.id]);
    const found = await query<WantedRun & { match_id: string }>(FOUND, [organisation.id]);
    const matches = [...new Set(found.map(({ match_id }) => match_id))];
    const skipped = skippedRuns(found);
    if (matches.length > 0) enqueue(LAY_OUT, [organisation.id, matches, [...skipped.keys()], [...skipped.values()]]);
    return matches.length;
  };
  while ((await write(some)) === AT_ONCE);
}

/** Expands the matches before a read, if there are any. */
export async function layOutBeforeReading(): Promise<void> {
  if (await queryOne(ANY, [request().organisation.id])) await layOutRuns(inOwnTransaction);
}
