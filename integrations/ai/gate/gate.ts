import { columns } from "../../../core/database/model.ts";
import { queryOutside } from "../../../core/database/query.ts";
import { refusal } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { storable, storableValue } from "../../../core/values/stored-text.ts";
import { AiSettings, type AiSettingsRow, type Feature } from "../models.ts";
import { isLate } from "../providers/outside.ts";
import {
  type AiAccess,
  AiFailure,
  AnswerCut,
  type ChatAnswer,
  type ChatQuestion,
  charactersOf,
  ReaderGone,
} from "../providers/provider.ts";
import { chatProvider } from "../providers/providers.ts";
import { allFeatures } from "../settings/rules.ts";
import { chatAccess } from "../settings/stored.ts";
import { meter, release, reserve, THIS_MONTH } from "../usage/metering.ts";

/** Most output tokens (platform §1.2). */
export const MOST_TOKENS = 8192;

/** The errors of a gate, for action declarations. */
export const GATE_ERRORS = ["ai_not_configured", "ai_feature_disabled", "ai_budget_reached"] as const;

const STATE = statement(`select ${columns(AiSettings, "s")}, (select coalesce(sum(u.tokens_in + u.tokens_out), 0)::float8
    from ai_usage u where u.organisation_id = $1 and u.month = ${THIS_MONTH}) as tokens_used
  from ai_settings s where s.organisation_id = $1`);

/** A passed gate: feature, account, model, and whether the budget is overridden. */
export interface Gate {
  feature: Feature;
  settings: AiSettingsRow;
  access: AiAccess;
  model: string;
  isOverriding: boolean;
}

/**
 * The settings of an enabled feature.
 * @param isUsable whether their keys suffice; a key that cannot be read counts as none
 * @throws 409 ai_not_configured, ai_feature_disabled
 */
export async function configured(
  feature: Feature,
  isUsable: (settings: AiSettingsRow) => boolean = () => true,
): Promise<AiSettingsRow & { tokens_used: number }> {
  const settings = await queryOutside<AiSettingsRow & { tokens_used: number }>(STATE, [request().organisation.id]);
  if (!settings || !isUsable(settings)) throw refusal("ai_not_configured");
  if (!allFeatures(settings.features)[feature].enabled) throw refusal("ai_feature_disabled");
  return settings;
}

/**
 * Passes the gate, in the order of platform §1.2 from its second point: settings, feature, budget. The caller then checks the named record
 * and calls `setAside`.
 * @throws 409 ai_not_configured, ai_feature_disabled, ai_budget_reached
 */
export async function passGate(feature: Feature, { override_budget = false }: { override_budget?: boolean }): Promise<Gate> {
  const settings = await configured(feature, (row) => chatAccess(row) !== null);
  const access = chatAccess(settings) as AiAccess;
  const { monthly_token_budget: budget, tokens_used: used } = settings;
  if (budget !== null && used >= budget && !override_budget) throw refusal("ai_budget_reached");
  const model = allFeatures(settings.features)[feature].model ?? settings.default_model;
  return { feature, settings, access, model, isOverriding: override_budget };
}

/** A question without the values the gate adds. */
export type MeteredQuestion = Omit<ChatQuestion, "model" | "maxTokens"> & { maxTokens?: number };

/**
 * Asks the model; metered on success and on failure.
 * @throws 502 ai_provider_error, ai_answer_truncated for an answer cut at its token limit; the stream reader's own errors
 */
export type Ask = (asked: MeteredQuestion) => Promise<ChatAnswer>;

const lateAnswers = new WeakSet<Error>();

/** Whether `Ask` refused because the answer was lateAnswers; the caller of an endpoint only sees that the provider failed. */
export const wasLate = (error: unknown): boolean => error instanceof Error && lateAnswers.has(error);

/** An answer whose texts can be stored and searched for: a model may write any character, and a provider may send any value for text. */
const readAnswer = ({ text, calls, ...spent }: ChatAnswer): ChatAnswer => ({
  ...spent,
  text: typeof text === "string" ? storable(text) : "",
  calls: calls.map(({ input, ...call }) => ({ ...call, input: storableValue(input) })),
});

/** A reserved call: `run` makes it, once. */
export interface SetAside {
  run<T>(work: (ask: Ask) => Promise<T>): Promise<T>;
}

/** Three characters per token is a safe upper bound for any language. */
const mostTokensOf = (question: MeteredQuestion): number =>
  Math.ceil(charactersOf(question) / 3) + (question.maxTokens ?? MOST_TOKENS);

/**
 * Reserves the possible cost of a call.
 * @param first the first question, as far as known
 * @throws 409 ai_budget_reached if others reserved the rest of the budget meanwhile
 */
export async function setAside(gate: Gate, first: MeteredQuestion): Promise<SetAside> {
  const { settings, isOverriding, access, model, feature } = gate;
  const tokenBudget = isOverriding ? null : settings.monthly_token_budget;
  const reservation = await reserve({ tokens: mostTokensOf(first), audioSeconds: 0, tokenBudget, audioBudget: null });
  if (reservation === null) throw refusal("ai_budget_reached");
  const ask: Ask = async ({ maxTokens = MOST_TOKENS, ...asked }) => {
    try {
      const answer = await chatProvider(access).chat({ ...asked, model, maxTokens });
      await meter(feature, answer);
      return readAnswer(answer);
    } catch (error) {
      if (!(error instanceof AiFailure)) throw error;
      if (error.spent.tokensIn + error.spent.tokensOut > 0) await meter(feature, error.spent);
      if (error instanceof ReaderGone) throw error.cause;
      const refused = refusal(error instanceof AnswerCut ? "ai_answer_truncated" : "ai_provider_error");
      if (isLate(error)) lateAnswers.add(refused);
      throw refused;
    }
  };
  return {
    async run(work) {
      try {
        return await work(ask);
      } finally {
        await release(reservation);
      }
    },
  };
}
