import { query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { statement } from "../../../core/sql/statement.ts";
import { type DecisionWord, subjectKey } from "./words.ts";

/** A decision in force. */
export interface StandingDecision {
  /** The comparison form of the subject, see `subjectKey`. */
  subject_key: string;
  scope: string;
  decision: DecisionWord;
  reason: string;
  /** Name of the person or service account that decided; empty for the system. */
  by: string;
}

/** SQL: the current name of the person or service account that decided, else the name stored then; `t` is the decision. */
export const DECIDED_BY = `coalesce((select coalesce(nullif(a.full_name, ''), a.email) from accounts a where a.id = t.actor_account_id),
  (select s.name from service_accounts s where s.organisation_id = t.organisation_id and s.id = t.actor_service_account_id),
  t.actor_name, '')`;

/** SQL: decision `t` is neither withdrawn nor expired; `slot` is today's date in the organisation's zone. */
export const holdsOn = (slot: string): string =>
  `t.withdrawn_at is null and (t.expires_on is null or t.expires_on >= ${slot}::date)`;

/** SQL: decision `t` is about a term that people search for, not about an object whose id or name reads the same. Lists count as keywords. */
const OF_TERMS = `t.subject_type in ('search_term', 'keyword')
  and not (t.subject_type = 'keyword' and t.source = 'write' and t.scope like 'shared_set:%')`;

const standingOf = (which: string) =>
  statement(`select n.subject_key, n.scope, n.decision, n.reason, n.by from (
    select distinct on (t.subject_key, t.scope) t.subject_key, t.scope, t.decision, t.reason, ${DECIDED_BY} as by, t.created_at, t.id
    from ads_decisions t where t.organisation_id = $1 and t.account_id = $2 and t.subject_key = any($3::text[]) and ${holdsOn("$4")}
      and ${which}
    order by t.subject_key, t.scope, t.created_at desc, t.id desc) n
  order by n.created_at desc, n.id desc`);
const STANDING = standingOf("true");
const STANDING_OF_TERMS = standingOf(OF_TERMS);

/** Lets one transaction at a time decide on an account, until it ends: of two equal decisions, the later one finds the earlier. */
const TAKE_TURNS = statement(
  "select pg_advisory_xact_lock(hashtextextended('ads decisions ' || $1::uuid || ' ' || $2::uuid, 0))",
);

async function standing(
  which: typeof STANDING,
  accountId: string,
  subjects: readonly string[],
): Promise<Map<string, StandingDecision[]>> {
  const keys = [...new Set(subjects.map(subjectKey))];
  if (keys.length === 0) return new Map();
  const values = [request().organisation.id, accountId, keys, organisationToday()];
  return Map.groupBy(await query<StandingDecision>(which, values), ({ subject_key }) => subject_key);
}

/**
 * The decisions in force for subjects of an account, newest first: for each subject and scope the newest that is neither withdrawn nor
 * expired (marketing-ads §3.9). Other decisions on the account wait until the running transaction ends.
 * @returns by `subjectKey`, without subjects that have no decision
 */
export async function standingDecisions(
  accountId: string,
  subjects: readonly string[],
): Promise<Map<string, StandingDecision[]>> {
  await query(TAKE_TURNS, [request().organisation.id, accountId]);
  return standing(STANDING, accountId, subjects);
}

/** The same for search terms, in one statement and without waiting. @param terms as written by the provider */
export const decisionsOnTerms = (accountId: string, terms: readonly string[]): Promise<Map<string, StandingDecision[]>> =>
  standing(STANDING_OF_TERMS, accountId, terms);
