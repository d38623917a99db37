import { givenSecret } from "../../../core/database/sealed.ts";
import { readUrl } from "../../../core/outbound/guard/addressing.ts";
import type { Static } from "../../../core/schema/schema.ts";
import type { AiSettingsRow } from "../models.ts";
import { AiFailure, AnswerCut } from "../providers/provider.ts";
import { chatProvider } from "../providers/providers.ts";
import { meter } from "../usage/metering.ts";
import { isSameProvider } from "./rules.ts";
import type { AIModelsRequest, AIModelsResult, AITestResult } from "./schemas.ts";
import { chatAccess } from "./stored.ts";

const MOST_MODELS = 200;
const NOT_CONFIGURED = "No provider or key is configured.";

const textOf = (error: unknown): string => {
  if (error instanceof AiFailure) return error.message;
  throw error;
};

/** Asks the stored model for one word and returns the result; never throws on provider failures. Metered on success. */
export async function triedSettings(row: AiSettingsRow | undefined): Promise<Static<typeof AITestResult>> {
  const access = row && chatAccess(row);
  if (!row || !access) return { ok: false, model: row?.default_model ?? null, error: NOT_CONFIGURED };
  const model = row.default_model;
  try {
    const turns = [{ role: "user" as const, text: "Reply with the word OK." }];
    const spent = await chatProvider(access).chat({ model, system: "You answer with one word.", turns, maxTokens: 64 });
    await meter("test", spent);
    return { ok: true, model, error: null };
  } catch (error) {
    // A reasoning model may use up the few tokens of a test; it was still reached.
    if (error instanceof AnswerCut) {
      await meter("test", error.spent);
      return { ok: true, model, error: null };
    }
    return { ok: false, model, error: textOf(error) };
  }
}

/**
 * The models of a provider, in its own order or by name. Omitted fields use the stored values, but a stored key only goes to the provider
 * it was saved for.
 */
export async function foundModels(
  row: AiSettingsRow | undefined,
  { provider: named, api_key, base_url }: Static<typeof AIModelsRequest>,
): Promise<Static<typeof AIModelsResult>> {
  const stored = row && chatAccess(row);
  const provider = named ?? row?.provider;
  const address = base_url?.trim() || (row && provider === row.provider ? row.base_url : null);
  if (!provider) return { models: [], error: NOT_CONFIGURED };
  const isKnown = row !== undefined && isSameProvider(row, { provider, base_url: address });
  const apiKey = givenSecret(api_key) ?? (isKnown ? stored?.apiKey : undefined);
  if (apiKey === undefined) return { models: [], error: NOT_CONFIGURED };
  if (provider === "openai_compatible" && address === null) return { models: [], error: "The provider needs an address." };
  try {
    if (address !== null) readUrl("ai", address);
  } catch (error) {
    return { models: [], error: (error as Error).message };
  }
  try {
    const models = await chatProvider({ provider, apiKey, baseUrl: address }).models();
    return { models: models.slice(0, MOST_MODELS), error: null };
  } catch (error) {
    return { models: [], error: textOf(error) };
  }
}
