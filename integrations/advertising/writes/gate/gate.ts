import { refusal } from "../../../../core/errors/errors.ts";
import { requireMatch } from "../../../../core/http/etag.ts";
import { request } from "../../../../core/request/context.ts";
import type { Static } from "../../../../core/schema/schema.ts";
import { refusing } from "../../../../mixins/google-ads/failure.ts";
import type { AdsAccountRow } from "../../../../mixins/google-ads/models.ts";
import { type AdsAccess, adsAccess } from "../../../../mixins/google-ads/transport.ts";
import { accountBrief } from "../../envelope.ts";
import { baseOf } from "../../policy/budget-base.ts";
import { policyOf } from "../../policy/policy-rows.ts";
import type { Resolved } from "../../policy/resolve.ts";
import { visibleAccount } from "../../visible-account.ts";
import { isCreatedPaused, isCreatedRunning, type Judged, judge } from "../requests/judge.ts";
import type { Planned } from "../requests/operation.ts";
import { requireFew } from "../requests/rules.ts";
import type { AdsMutationRead } from "./answer.ts";
import { budgetMoments } from "./budget-moments.ts";
import { intentsOfWork, type Sending, unknownOutcome } from "./intents.ts";
import { withObjects } from "./objects.ts";
import type { Settled } from "./recording.ts";
import { type CallOutcome, sendOnce, validate } from "./sending.ts";
import { requireWritable } from "./writable.ts";

export type Answer = Static<typeof AdsMutationRead>;
type Skipped = Answer["skipped"][number];

/** The result of a write's `prepare`: the response and the outcomes to record. */
export interface Written {
  answer: Answer;
  settled: Settled[];
}

/** An account open for writes, with its policy. */
export interface Opened {
  account: AdsAccountRow;
  policy: Resolved;
}

/** A write of one call, as requested by a route. */
export interface Write extends Omit<Sending, "account" | "planned" | "requested" | "skipped"> {
  planned: readonly Planned[];
  /** Whether rows that fail leave the others unaffected. */
  isBatch?: boolean;
  validateOnly: boolean;
  warnings?: readonly string[];
  /** The budget to change, as it was read. */
  budget?: { resourceName: string; amountMicros: string };
}

/**
 * The first checks of every write: the account, whether it is linked, and whether the organisation allows writes (marketing-ads §3.10). The
 * provider's objects have no version here, so `If-Match` refers to the account. It is checked before the call, because the provider's change
 * would survive a later refusal.
 * @throws 404, 412, 409 `ads_platform_writes_disabled`
 */
export async function openAccount(accountId: string): Promise<Opened> {
  const account = await visibleAccount(accountId);
  requireMatch(account.version);
  await requireWritable(account);
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

/** The rows of a write that the policy allows, and those that it skips. */
interface JudgedRows {
  allowed: readonly Planned[];
  skipped: Skipped[];
}

/**
 * Splits a write into rows that the policy allows and rows that it skips.
 * @param base the amount from which a raise of the budget counts, in micros; null for no relative limit
 * @throws 422 if a single operation is not allowed
 */
export function allowedOf(
  { collection, planned, isBatch = false, budget }: Write,
  { policy: { policy }, account }: Opened,
  base: string | null = null,
): JudgedRows {
  const skipped: Skipped[] = [];
  const changed = budget ? { now: budget.amountMicros, base } : null;
  const allowed = planned.filter((one) => {
    if (isCreatedRunning(collection, one.operation)) throw new Error(`'${collection}' must not be created running`);
    const judged = judge(collection, one.operation, policy, changed, account.currency_code);
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
  sent: Pick<CallOutcome, "results" | "hasUnattributed"> | null;
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

/** The response if another node already sent this request before it died. @throws 502 while the outcome is unknown */
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
  const done = found.filter(({ state }) => state === "applied" || state === "superseded");
  if (done.length === 0) return null;
  const results = done.flatMap(({ outcome }) => outcome ?? []);
  return answerOf({ write, opened, allowed, skipped, sent: { results, hasUnattributed: false } });
}

/** Judges a write by the policy of this moment: one that was changed while the provider was read holds (marketing-ads §3.8). */
async function judgedNow(write: Write, account: AdsAccountRow): Promise<JudgedRows> {
  const { budget } = write;
  const policy = await policyOf(account.id);
  const base = budget ? baseOf(await budgetMoments(account.id, budget.resourceName), budget.amountMicros) : null;
  return allowedOf(write, { account, policy }, base);
}

/**
 * Sends a write to the provider: checks the policy, commits the intent under it, calls. Every change at the provider goes through here, in
 * `prepare`.
 * @throws 409, 422, 429, 502 according to the provider's answer; 502 with `intent_id` if the outcome is unknown
 */
export async function send(write: Write, opened: Opened, opening?: AdsAccess): Promise<Written> {
  requireFew(write.planned.length);
  let judged = allowedOf(write, opened);
  const nothing = () => ({ answer: answerOf({ write, opened, ...judged, sent: null }), settled: [] });
  if (judged.allowed.length === 0) return nothing();
  const earlier = await alreadySent(write, opened, judged.allowed, judged.skipped);
  if (earlier) return { answer: earlier, settled: [] };
  const { account } = opened;
  const access = opening ?? (await adsAccess(account));
  const { operation, resource, activity, collection, validateOnly, isBatch = false } = write;
  // A validation records nothing, so it needs no names.
  const planned = validateOnly ? write.planned : await withObjects(access, collection, write.planned);
  const sendingNow = async (): Promise<Sending> => {
    judged = await judgedNow({ ...write, planned }, account);
    const counts = { requested: planned.length, skipped: judged.skipped.length };
    return { account, operation, resource, activity, collection, planned: judged.allowed, ...counts };
  };
  const sent = await refusing(
    validateOnly ? validate(access, await sendingNow(), isBatch) : sendOnce(access, account.id, sendingNow, isBatch),
  );
  if (sent === null) return nothing();
  const { allowed, skipped } = judged;
  const answer = answerOf({ write, opened, allowed, skipped, sent });
  if (sent.intentId === null) return { answer, settled: [] };
  const { intentId, results } = sent;
  const counts = { requested: planned.length, skipped: skipped.length };
  return { answer, settled: [{ intentId, accountId: account.id, planned: allowed, results, activity, resource, ...counts }] };
}
