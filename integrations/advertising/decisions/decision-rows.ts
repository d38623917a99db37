import { columns } from "../../../core/database/model.ts";
import { jsonArray, projection } from "../../../core/database/projection.ts";
import { queryOne } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { readInstant } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { type Statement, statement } from "../../../core/sql/statement.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { AdsDecision } from "./decision-model.ts";
import { AdsDecisionRead, OPEN_STATES } from "./decision-schemas.ts";
import { DECIDED_BY } from "./standing.ts";

const named = (account: string, service: string, name: string) =>
  `coalesce((select coalesce(nullif(a.full_name, ''), a.email) from accounts a where a.id = t.${account}),
    (select s.name from service_accounts s where s.organisation_id = t.organisation_id and s.id = t.${service}), t.${name})`;

const shown = projection({
  model: AdsDecision,
  schema: AdsDecisionRead,
  columns: {
    decided_by_name: DECIDED_BY,
    withdrawn_by_name: named("withdrawn_by_account_id", "withdrawn_by_service_account_id", "withdrawn_by_name"),
    state: "case when t.source = 'write' and t.applied then 'applied' end",
  },
});
export const decisions = rowsOf({ model: AdsDecision, projection: shown });

/** A write shown as a decision. If it has several operations, the first one is shown and the others are in the payload. */
const INTENT = projection({
  model: { table: "ads_intents" },
  schema: AdsDecisionRead,
  columns: {
    subject_type: "t.planned -> 0 -> 'decision' ->> 'subject_type'",
    subject: "t.planned -> 0 -> 'decision' ->> 'subject'",
    scope: "t.planned -> 0 -> 'decision' ->> 'scope'",
    decision: "t.planned -> 0 -> 'decision' ->> 'decision'",
    reason: "coalesce(t.planned -> 0 -> 'decision' ->> 'reason', '')",
    applied: "t.state = 'applied'",
    source: "'write'",
    payload: `jsonb_build_object('operation', t.operation, 'resource', t.resource, 'requested', t.requested, 'error_code', t.error_code,
      'subjects', (select jsonb_agg(p -> 'decision' ->> 'subject' order by n) from jsonb_array_elements(t.planned) with ordinality e(p, n)))`,
    decided_by_name: DECIDED_BY,
    expires_on: "null::date",
    withdrawn_at: "null::timestamptz",
    withdrawn_by_name: "null::text",
  },
});
const INTENT_COLUMNS =
  "id, organisation_id, account_id, operation, resource, requested, planned, state, error_code, actor_account_id, actor_service_account_id, actor_name, impersonator_name, created_at";

/** The filters of a list of decisions. */
export interface DecisionFilter {
  subject_type?: string | undefined;
  decision?: string | undefined;
  include_withdrawn: boolean;
  state?: string | undefined;
  updated_since?: string | undefined;
  limit: number;
  offset: number;
  count: boolean;
}

const NEWEST = "order by created_at desc, id desc limit $3 offset $4";
const ofDecisions = (more: string): Statement => {
  const where = `organisation_id = $1 and account_id = $2 and ($5::text is null or subject_type = $5) and ($6::text is null or decision = $6)
    and ($8::timestamptz is null or updated_at >= $8)${more}`;
  return statement(`select ${jsonArray(shown.rows(`(select ${columns(AdsDecision)} from ads_decisions where ${where} ${NEWEST})`))} as items,
    case when $7::boolean then (select count(*)::int from ads_decisions where ${where}) end as total`);
};
const ALL = ofDecisions("");
const UNWITHDRAWN = ofDecisions(" and withdrawn_at is null");
const OF_INTENTS =
  "organisation_id = $1 and account_id = $2 and state = any($9::text[]) and ($8::timestamptz is null or updated_at >= $8)";
const IN_STATE = `${OF_INTENTS} and ($5::text is null or planned -> 0 -> 'decision' ->> 'subject_type' = $5)
  and ($6::text is null or planned -> 0 -> 'decision' ->> 'decision' = $6)`;
const INTENTS =
  statement(`select ${jsonArray(INTENT.rows(`(select ${INTENT_COLUMNS} from ads_intents where ${IN_STATE} ${NEWEST})`))} as items,
    case when $7::boolean then (select count(*)::int from ads_intents where ${IN_STATE}) end as total`);

/** A page of an account's decisions, or of its writes in one state, read in one statement. */
export async function decisionPage(accountId: string, filter: DecisionFilter): Promise<JsonText> {
  const { subject_type, decision, include_withdrawn, state, updated_since, limit, offset, count } = filter;
  const since = updated_since === undefined ? null : readInstant(updated_since);
  const values = [request().organisation.id, accountId, limit, offset, subject_type ?? null, decision ?? null, count, since];
  const found = await queryOne<{ items: string; total: number | null }>(
    state === undefined ? (include_withdrawn ? ALL : UNWITHDRAWN) : INTENTS,
    state === undefined ? values : [...values, state === "open" ? OPEN_STATES : [state]],
  );
  return new JsonText(`{"items":${found?.items ?? "[]"},"total":${found?.total ?? "null"}}`);
}
