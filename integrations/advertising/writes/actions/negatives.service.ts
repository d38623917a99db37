import { action } from "../../../../core/declare/action.ts";
import { invalid } from "../../../../core/errors/errors.ts";
import { prepared } from "../../../../core/request/context.ts";
import type { Static } from "../../../../core/schema/schema.ts";
import { adsAccess } from "../../../../mixins/google-ads/transport.ts";
import { service } from "../../../../mixins/resource.ts";
import { type NewDecision, recordDecisions } from "../../decisions/recording.ts";
import { standingDecisions } from "../../decisions/standing.ts";
import { subjectKey } from "../../decisions/words.ts";
import { currentKeywords } from "../gate/current.ts";
import { type Answer, openAccount, send, type Written } from "../gate/gate.ts";
import { recorded } from "../gate/recorded.ts";
import { NEGATIVE_HOMES, negativesAdd, negativesRemove } from "../requests/keyword-requests.ts";
import { type Level, levelOf, requireFew } from "../requests/rules.ts";
import { ONCE, WRITES, writeErrors } from "./write-action.ts";
import { AdsNegativesAdd, AdsNegativesRemove } from "./write-schemas.ts";

const permission = "ads_platform.negative.write";
const RESOURCES: Readonly<Record<Level, string>> = {
  campaign: "campaign_criterion",
  ad_group: "ad_group_criterion",
  shared_set: "shared_criterion",
};

interface WrittenAndKept extends Written {
  keep: NewDecision[];
}

const keptTerms = (scope: string, { keep = [] }: Static<typeof AdsNegativesAdd>): NewDecision[] =>
  keep.map(({ text, reason = "", expires_on = null }) => ({
    subject_type: "search_term",
    subject: text.trim(),
    scope,
    decision: "kept",
    reason,
    applied: false,
    source: "manual",
    payload: {},
    expires_on,
  }));

/** Records the terms to keep, without duplicates and terms already recorded as kept. @returns whether any were skipped */
async function recordKept(accountId: string, keep: readonly NewDecision[]): Promise<boolean> {
  const subjects = keep.map(({ subject }) => subject);
  const standing = await standingDecisions(accountId, subjects);
  const seen = new Set<string>();
  const fresh = keep.filter(({ subject, scope }) => {
    const key = subjectKey(subject);
    const now = standing.get(key)?.find((one) => one.scope === scope);
    if (now?.decision === "kept" || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  recordDecisions(accountId, fresh);
  return fresh.length < keep.length;
}

/** Negative keywords of an advertising account (marketing-ads §3.10). */
export default service("ads.negatives", {
  actions: {
    add: action({
      rest: "POST /ads-platform/accounts/:account_id/negatives",
      summary: "Add negative keywords to a campaign, an ad group or a list",
      description: `Skips terms that would block a protected one. Records terms under \`keep\` as reviewed. ${ONCE}`,
      permission,
      body: AdsNegativesAdd,
      ...WRITES,
      errors: writeErrors(),
      async prepare(ctx): Promise<WrittenAndKept> {
        const { body } = ctx.params;
        const { parent_id, terms = [], validate_only: validateOnly = false } = body;
        const opened = await openAccount(ctx.params.account_id);
        const level = levelOf(body.level);
        const keep = keptTerms(`${level}:${parent_id}`, body);
        if (terms.length === 0 && keep.length === 0) throw invalid({ terms: "errors.required" });
        if (keep.some(({ subject }) => subject === "")) throw invalid({ text: "errors.ads_platform_decision_subject_required" });
        const planned = negativesAdd(opened.account.customer_id, level, parent_id, terms);
        const { collection } = NEGATIVE_HOMES[level];
        const write = { resource: RESOURCES[level], collection, operation: "negatives.add", activity: "ads.negatives_added" };
        return { ...(await send({ ...write, planned, isBatch: true, validateOnly }, opened)), keep };
      },
      async handler(): Promise<Answer> {
        const { keep } = prepared<WrittenAndKept>();
        const answer = await recorded();
        if (keep.length === 0 || !(await recordKept(answer.account.id, keep))) return answer;
        return { ...answer, warnings: [...answer.warnings, "ads.warning.decision_already_stood"] };
      },
    }),

    remove: action({
      rest: "POST /ads-platform/accounts/:account_id/negatives/remove",
      summary: "Remove negative keywords from a campaign, an ad group or a list",
      description: `Recorded as kept: the searches are wanted again. ${ONCE}`,
      permission,
      body: AdsNegativesRemove,
      status: 200,
      ...WRITES,
      errors: writeErrors(),
      async prepare(ctx): Promise<Written> {
        const { parent_id, criterion_ids, validate_only: validateOnly = false, ...body } = ctx.params.body;
        const opened = await openAccount(ctx.params.account_id);
        const { account } = opened;
        const level = levelOf(body.level);
        requireFew(criterion_ids.length);
        const access = await adsAccess(account);
        const [parentId, ids] = [parent_id, criterion_ids];
        const now = await currentKeywords(access, { level, parentId, ids, isNegative: true, field: "criterion_ids" });
        const planned = negativesRemove(account.customer_id, level, parent_id, criterion_ids, now);
        const { collection } = NEGATIVE_HOMES[level];
        const write = {
          resource: RESOURCES[level],
          collection,
          operation: "negatives.remove",
          activity: "ads.negatives_removed",
        };
        return send({ ...write, planned, isBatch: true, validateOnly }, opened, access);
      },
      handler: () => recorded(),
    }),
  },
});
