import { refusal } from "../../../../core/declare/errors.ts";
import type { Static } from "../../../../core/declare/schema.ts";
import { requireMatch } from "../../../../core/http/etag.ts";
import { request } from "../../../../core/request/context.ts";
import { adsSettings } from "../../../../mixins/google-ads/developer-token.ts";
import { refusing } from "../../../../mixins/google-ads/failure.ts";
import type { AdsAccountRow } from "../../../../mixins/google-ads/models.ts";
import { type AdsAccess, adsAccess } from "../../../../mixins/google-ads/transport.ts";
import { accountBrief } from "../../envelope.ts";
import { policyOf } from "../../policy/policy-rows.ts";
import type { Resolved } from "../../policy/resolve.ts";
import { visibleAccount } from "../../visible-account.ts";
import { isCreatedPaused, isCreatedRunning, type Judged, judge } from "../requests/judge.ts";
import type { Planned } from "../requests/operation.ts";
import { requireFew } from "../requests/rules.ts";
import type { AdsMutationRead } from "./answer.ts";
import { intentsOfWork, type Sending, unknownOutcome } from "./intents.ts";
import type { Settled } from "./recording.ts";
import { type Sent, sendOnce, validate } from "./sending.ts";

export type Answer = Static<typeof AdsMutationRead>;
type Skipped = Answer["skipped"][number];

/** What a write gives its handler: the answer, and what is recorded. */
export interface Written {
  answer: Answer;
  settled: Settled[];
}

/** An account that may be written to, with the policy that holds for it. */
export interface Opened {
  account: AdsAccountRow;
  policy: Resolved;
}

/** What a route wants to write: one call. */
export interface Write extends Omit<Sending, "account" | "planned" | "requested" | "skipped"> {
  planned: readonly Planned[];
  /** Rows that fail leave the others alone. */
  isBatch?: boolean;
  validateOnly: boolean;
  warnings?: readonly string[];
  /** The amount of the budget that is changed, as it is now. */
  previous?: string;
}

/**
 * The first gates of every write: the account, and whether the organisation lets anything be written at all (marketing-ads §3.10).
 * What changes is the provider's and has no tag here, so `If-Match` names the state of the account. It is compared before the call:
 * the provider's change outlives a refusal after it.
 * @throws 404, 412, 409 `ads_platform_writes_disabled`
 */
export async function openAccount(accountId: string): Promise<Opened> {
  const account = await visibleAccount(accountId);
  requireMatch(account.version);
  if ((await adsSettings())?.writes_enabled === false) throw refusal("ads_platform_writes_disabled");
  return { account, policy: await policyOf(account.id) };
}

function refuse({ code, field, limit, blocks }: Judged): never {
  const details = { ...(limit !== undefined && { limit }), ...(blocks !== undefined && { blocks }) };
  throw refusal(code, undefined, {
    fields: { [field]: `errors.${code}` },
    ...(Object.keys(details).length > 0 && { details }),
  });
}

const subjectOf = ({ decision }: Planned): string => decision.subject;

/** What the policy allows of a write, and the rows that it leaves out. @throws 422 where a single operation is not allowed */
export function allowedOf(
  { collection, planned, isBatch = false, previous }: Write,
  { policy }: Resolved,
): { allowed: Planned[]; skipped: Skipped[] } {
  const skipped: Skipped[] = [];
  const allowed = planned.filter((one) => {
    if (isCreatedRunning(collection, one.operation)) throw new Error(`'${collection}' would be created running`);
    const judged = judge(collection, one.operation, policy, previous ?? null);
    if (!judged) return true;
    if (!isBatch) refuse(judged);
    const { code, limit = null, blocks = null } = judged;
    skipped.push({ subject: subjectOf(one), reason: `errors.${code}`, blocks, limit });
    return false;
  });
  return { allowed, skipped };
}

interface Parts {
  write: Write;
  opened: Opened;
  allowed: readonly Planned[];
  skipped: Skipped[];
  sent: Pick<Sent, "results" | "hasUnattributed"> | null;
}

function answerOf({ write, opened, allowed, skipped, sent }: Parts): Answer {
  const { resource, validateOnly, planned, collection, warnings = [] } = write;
  const results = sent?.results ?? [];
  const applied = validateOnly ? 0 : results.filter(({ ok }) => ok).length;
  const isPaused =
    (applied > 0 || (validateOnly && sent !== null)) && allowed.some(({ operation }) => isCreatedPaused(collection, operation));
  return {
    account: accountBrief(opened.account),
    resource,
    validate_only: validateOnly,
    requested: planned.length,
    applied,
    results,
    skipped,
    warnings: [
      ...warnings,
      ...(isPaused ? ["ads.warning.created_paused"] : []),
      ...(sent?.hasUnattributed ? ["ads.warning.unattributed_failure"] : []),
      ...(opened.policy.isCapped ? ["ads.warning.policy_terms_capped"] : []),
      ...(validateOnly ? ["ads.warning.validated_not_applied"] : []),
    ],
    fetched_at: new Date().toISOString(),
  };
}

/** What another node has sent for this very request, before it died. @throws 502 while it is not known what became of it */
async function alreadySent(
  write: Write,
  opened: Opened,
  allowed: readonly Planned[],
  skipped: Skipped[],
): Promise<Answer | null> {
  if (!request().mayHaveActed || write.validateOnly) return null;
  const found = (await intentsOfWork()).filter(({ operation }) => operation === write.operation);
  const open = found.find(({ state }) => state === "pending" || state === "unknown");
  if (open) throw unknownOutcome(open.id);
  const done = found.filter(({ state }) => state === "applied");
  if (done.length === 0) return null;
  const results = done.flatMap(({ outcome }) => outcome ?? []);
  return answerOf({ write, opened, allowed, skipped, sent: { results, hasUnattributed: false } });
}

/**
 * The one road to the provider for everything that changes something there: policy, intent, call. It runs in `prepare`.
 * @throws 409, 422, 429, 502 as the provider's answer says; 502 with `intent_id` where the outcome is not known
 */
export async function send(write: Write, opened: Opened, opening?: AdsAccess): Promise<Written> {
  requireFew(write.planned.length);
  const { allowed, skipped } = allowedOf(write, opened.policy);
  if (allowed.length === 0) return { answer: answerOf({ write, opened, allowed, skipped, sent: null }), settled: [] };
  const earlier = await alreadySent(write, opened, allowed, skipped);
  if (earlier) return { answer: earlier, settled: [] };
  const { account } = opened;
  const access = opening ?? (await adsAccess(account));
  const { operation, resource, activity, collection, validateOnly, isBatch = false } = write;
  const counts = { requested: write.planned.length, skipped: skipped.length };
  const sending: Sending = { account, operation, resource, activity, collection, planned: allowed, ...counts };
  const sent = await refusing(validateOnly ? validate(access, sending, isBatch) : sendOnce(access, sending, isBatch));
  const answer = answerOf({ write, opened, allowed, skipped, sent });
  if (sent.intentId === null) return { answer, settled: [] };
  const { intentId, results } = sent;
  return { answer, settled: [{ intentId, accountId: account.id, planned: allowed, results, activity, resource, ...counts }] };
}
