import { listing } from "../../../core/database/lists/list.ts";
import type { Filter } from "../../../core/database/lists/listing-spec.ts";
import { type Projection, projection } from "../../../core/database/projection.ts";
import { query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { nextCursor } from "../../../core/request/walk.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import type { TextRow } from "../../../core/sql/statement.ts";
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

/** Decisions and writes have the same order and, but for the state, the same filters. */
const listed = (table: string, text: (name: string) => string, more: Record<string, Filter>, rows: Projection) =>
  listing(
    {
      table,
      order: "-created_at",
      sorts: { created_at: { by: "t.created_at" } },
      filters: {
        account_id: { type: "uuid", when: (slot) => `t.account_id = ${slot}` },
        subject_type: { type: "text", when: (slot) => `${text("subject_type")} = ${slot}` },
        decision: { type: "text", when: (slot) => `${text("decision")} = ${slot}` },
        ...more,
      },
    },
    rows,
  );
const DECISIONS = listed(
  "ads_decisions",
  (name) => `t.${name}`,
  { withdrawn: { type: "boolean", when: (slot) => `(t.withdrawn_at is not null) = ${slot}` } },
  shown,
);
const WRITES = listed(
  "ads_intents",
  (name) => `t.planned -> 0 -> 'decision' ->> '${name}'`,
  { states: { type: "text[]", when: (slot) => `t.state = any(${slot})` } },
  INTENT,
);

/** A page of an account's decisions, or of its writes in one state, read in one statement. */
export async function decisionPage(accountId: string, filter: DecisionFilter): Promise<JsonText> {
  const { subject_type, decision, include_withdrawn, state, ...asked } = filter;
  const { organisation, walk } = request();
  const filters = {
    account_id: accountId,
    subject_type,
    decision,
    withdrawn: include_withdrawn ? undefined : false,
    states: state === "open" ? OPEN_STATES : [state],
  };
  const list = state === undefined ? DECISIONS : WRITES;
  const { bound, read } = list.page(organisation.id, { ...asked, filters, after: walk?.after, selection: null });
  const { items, total, last } = read(await query<TextRow>(...bound));
  const next = JSON.stringify(nextCursor(walk, last));
  return new JsonText(`{"items":${items},"total":${asked.count ? total : "null"},"next_cursor":${next}}`);
}
