import { sinceQuery } from "../../../core/database/lists/list.ts";
import { queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { invalid, notFound } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { choice, flag, integer, nullable, optional, type Static, Type } from "../../../core/schema/schema.ts";
import { trail } from "../../../core/trail/trail.ts";
import { resource } from "../../../mixins/resource.ts";
import { visibleAccount } from "../visible-account.ts";
import { AdsDecision } from "./decision-model.ts";
import { decisionPage, decisions } from "./decision-rows.ts";
import { AdsDecisionCreate, AdsDecisionPage, AdsDecisionRead, INTENT_STATES } from "./decision-schemas.ts";
import { type NewDecision, recordDecisions } from "./recording.ts";
import { standingDecisions } from "./standing.ts";
import { DECISIONS, type DecisionWord, SCOPE, SUBJECT_TYPES, type SubjectType, subjectKey } from "./words.ts";

/** @throws 422 for unknown words or a blank subject */
function readDecision(body: Static<typeof AdsDecisionCreate>): NewDecision {
  const { subject_type = "search_term", subject, scope = "account", decision, reason = "", expires_on = null } = body;
  const wrong: Record<string, string> = {};
  if (!(SUBJECT_TYPES as readonly string[]).includes(subject_type)) wrong["subject_type"] = "errors.validation";
  if (!(DECISIONS as readonly string[]).includes(decision)) wrong["decision"] = "errors.validation";
  if (!SCOPE.test(scope)) wrong["scope"] = "errors.validation";
  if (subject.trim() === "") wrong["subject"] = "errors.ads_platform_decision_subject_required";
  if (Object.keys(wrong).length > 0) throw invalid(wrong);
  return {
    subject_type: subject_type as SubjectType,
    subject: subject.trim(),
    scope,
    decision: decision as DecisionWord,
    reason,
    applied: false,
    source: "manual",
    payload: {},
    expires_on,
  };
}

/** The log of decisions of an account (marketing-ads §3.9). */
export default resource("ads.decisions", {
  model: AdsDecision,
  actions: {
    list: action({
      rest: "GET /ads-platform/accounts/:account_id/decisions",
      summary: "List the decisions of an advertising account, newest first",
      description:
        "With `state` it lists the writes in that state instead: `unknown` lists those without a known outcome, `open` those that run, too.",
      permission: "ads_platform.account.read",
      query: {
        ...sinceQuery,
        subject_type: optional(
          Type.String({ description: `One of ${SUBJECT_TYPES.join(", ")}; any other value matches no decision` }),
        ),
        decision: optional(Type.String({ description: `One of ${DECISIONS.join(", ")}; any other value matches no decision` })),
        include_withdrawn: optional({ ...flag(false), description: "Whether withdrawn decisions are listed" }),
        state: optional(
          choice([...INTENT_STATES, "open"], {
            description: "Lists writes in this state instead of decisions; `open`: `pending` or `unknown`",
          }),
        ),
        limit: optional(integer(1, 200, { default: 50, description: "Most rows of the answer" })),
        offset: optional(integer(0, 2147483647, { default: 0, description: "Rows to skip" })),
        count: optional({ ...flag(true), description: "Whether `total` is counted" }),
      },
      returns: AdsDecisionPage,
      async handler(ctx) {
        const { account_id, include_withdrawn = false, limit = 50, offset = 0, count = true, ...filter } = ctx.params;
        await visibleAccount(account_id);
        return decisionPage(account_id, { ...filter, include_withdrawn, limit, offset, count });
      },
    }),

    create: action({
      rest: "POST /ads-platform/accounts/:account_id/decisions",
      summary: "Record a decision about a search term or an object",
      description: "Changes nothing at the provider. The answer is null if the same decision is already valid.",
      permission: "ads_platform.policy.manage",
      body: AdsDecisionCreate,
      returns: nullable(AdsDecisionRead),
      async handler(ctx) {
        const made = readDecision(ctx.params.body);
        const { id: accountId } = await visibleAccount(ctx.params.account_id);
        const standing = await standingDecisions(accountId, [made.subject]);
        const now = standing.get(subjectKey(made.subject))?.find(({ scope }) => scope === made.scope);
        if (now?.decision === made.decision) return null;
        const [id] = recordDecisions(accountId, [made]) as [string];
        const { subject_type, subject, scope, decision } = made;
        trail("ads_account", accountId, "ads.decision_noted", { subject_type, subject, scope, decision });
        return decisions.answerWith(id);
      },
    }),

    withdraw: action({
      rest: "DELETE /ads-platform/accounts/:account_id/decisions/:decision_id",
      summary: "Withdraw a decision",
      description: "It stays in the log but is no longer valid. Its changes at the provider stay.",
      permission: "ads_platform.policy.manage",
      returns: AdsDecisionRead,
      async handler(ctx) {
        const { id: accountId } = await visibleAccount(ctx.params.account_id);
        const row = await decisions.forWrite(ctx.params.decision_id, ({ account_id }) => {
          if (account_id !== accountId) throw notFound();
        });
        if (row.withdrawn_at === null) {
          const { principal } = request();
          queueUpdate(AdsDecision, row.id, {
            withdrawn_at: new Date().toISOString(),
            withdrawn_by_account_id: principal?.accountId ?? null,
            withdrawn_by_service_account_id: principal?.serviceAccountId ?? null,
            withdrawn_by_name: principal?.name ?? null,
          });
          const { subject_type, subject, scope, decision } = row;
          trail("ads_account", accountId, "ads.decision_withdrawn", { subject_type, subject, scope, decision });
        }
        return decisions.answerWith(row.id);
      },
    }),
  },
});
