import { columns } from "../../../core/database/model.ts";
import { peek } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { refusal } from "../../../core/declare/errors.ts";
import { request } from "../../../core/request/context.ts";
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
import { meter, release, reserve, THIS_MONTH } from "./metering.ts";

/** Most tokens of an answer (platform §1.2). */
export const MOST_TOKENS = 8192;

/** Errors a gate may refuse with, for the declarations of what is behind one. */
export const GATE_ERRORS = ["ai_not_configured", "ai_feature_disabled", "ai_budget_reached"] as const;

const STATE = statement(`select ${columns(AiSettings, "s")}, (select coalesce(sum(u.tokens_in + u.tokens_out), 0)::float8
    from ai_usage u where u.organisation_id = $1 and u.month = ${THIS_MONTH}) as tokens_used
  from ai_settings s where s.organisation_id = $1`);

/** An open gate: what is asked, by which account, and whether the budget counts. */
export interface Gate {
  feature: Feature;
  settings: AiSettingsRow;
  access: AiAccess;
  model: string;
  isOverriding: boolean;
}

/**
 * The settings for a feature that is switched on.
 * @throws 409 ai_not_configured, ai_feature_disabled
 */
export async function configured(feature: Feature): Promise<AiSettingsRow & { tokens_used: number }> {
  const settings = await peek<AiSettingsRow & { tokens_used: number }>(STATE, [request().organisation.id]);
  if (!settings) throw refusal("ai_not_configured");
  if (!allFeatures(settings.features)[feature].enabled) throw refusal("ai_feature_disabled");
  return settings;
}

/**
 * Passes the gate, in the order of platform §1.2 from its second point: settings, feature, budget. The record a call names is looked at
 * after it, and `setAside` called then.
 * @throws 409 ai_not_configured, ai_feature_disabled, ai_budget_reached
 */
export async function pass(feature: Feature, { override_budget = false }: { override_budget?: boolean }): Promise<Gate> {
  const settings = await configured(feature);
  const access = chatAccess(settings);
  if (!access) throw refusal("ai_not_configured");
  const { monthly_token_budget: budget, tokens_used: used } = settings;
  if (budget !== null && used >= budget && !override_budget) throw refusal("ai_budget_reached");
  const model = allFeatures(settings.features)[feature].model ?? settings.default_model;
  return { feature, settings, access, model, isOverriding: override_budget };
}

/** A question without what the gate knows. */
export type Asked = Omit<ChatQuestion, "model" | "maxTokens"> & { maxTokens?: number };

/**
 * Asks the model; metered whether it ends well or not.
 * @throws 502 ai_provider_error, ai_answer_truncated for an answer that ended at the limit of its tokens; what the reader of a stream threw
 */
export type Ask = (asked: Asked) => Promise<ChatAnswer>;

const late = new WeakSet<Error>();

/** Whether `Ask` refused because the answer did not come in time; the caller of an endpoint reads no more than that the provider failed. */
export const wasLate = (error: unknown): boolean => error instanceof Error && late.has(error);

/** Calls that have been provided for: `run` makes them, once. */
export interface SetAside {
  run<T>(work: (ask: Ask) => Promise<T>): Promise<T>;
}

/** Three characters a token is more than any language comes to. */
const mostTokensOf = (question: Asked): number => Math.ceil(charactersOf(question) / 3) + (question.maxTokens ?? MOST_TOKENS);

/**
 * Sets aside what a call may cost.
 * @param first the first question, or what is known of it
 * @throws 409 ai_budget_reached where others have set aside the rest of the budget meanwhile
 */
export async function setAside(gate: Gate, first: Asked): Promise<SetAside> {
  const { settings, isOverriding, access, model, feature } = gate;
  const tokenBudget = isOverriding ? null : settings.monthly_token_budget;
  const reservation = await reserve({ tokens: mostTokensOf(first), audioSeconds: 0, tokenBudget, audioBudget: null });
  if (reservation === null) throw refusal("ai_budget_reached");
  const ask: Ask = async ({ maxTokens = MOST_TOKENS, ...asked }) => {
    try {
      const answer = await chatProvider(access).chat({ ...asked, model, maxTokens });
      await meter(feature, answer);
      return answer;
    } catch (error) {
      if (!(error instanceof AiFailure)) throw error;
      if (error.spent.tokensIn + error.spent.tokensOut > 0) await meter(feature, error.spent);
      if (error instanceof ReaderGone) throw error.cause;
      const refused = refusal(error instanceof AnswerCut ? "ai_answer_truncated" : "ai_provider_error");
      if (isLate(error)) late.add(refused);
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
