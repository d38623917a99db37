import type { OwnOf } from "../../../core/database/model.ts";
import { invalid } from "../../../core/errors/errors.ts";
import { readUrl } from "../../../core/outbound/guard/addressing.ts";
import { isSameDestination } from "../../../core/outbound/guard/destination.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { blankToNull } from "../../../core/values/text.ts";
import {
  type AiSettings,
  type AiSettingsRow,
  FEATURES,
  type Feature,
  type FeatureConfig,
  type FeatureConfigs,
} from "../models.ts";
import type { AISettingsWrite } from "./schemas.ts";

/** The default models (platform §1.1); `openai_compatible` has none. */
export const SHIPPED_MODEL = { anthropic: "claude-sonnet-5-5", openai: "gpt-5.4-mini", openai_compatible: null } as const;
const SPEECH_MODEL = "whisper-1";

type SentSettings = Omit<Static<typeof AISettingsWrite>, "api_key" | "speech_api_key">;
/** The columns to store, without the two keys. */
export type StoredSettings = Omit<OwnOf<typeof AiSettings>, "api_key" | "speech_api_key">;

/** Which of the two keys will be stored. */
export interface Keys {
  hasKey: boolean;
  hasSpeechKey: boolean;
}

const tidy = (value: string | null | undefined): string | null => blankToNull(value?.trim()) ?? null;

/** The error of an invalid address. Private addresses are the administrator's choice (platform §0). */
function addressFault(url: string | null, isRequired: boolean): string | undefined {
  if (url === null) return isRequired ? "errors.required" : undefined;
  try {
    readUrl("ai", url);
    return undefined;
  } catch {
    return "errors.invalid_url";
  }
}

/** The sent features with their defaults filled in; unknown features are dropped. */
function storedFeatures(given: SentSettings["features"] = {}): FeatureConfigs {
  const known = Object.entries(given).filter(([key]) => (FEATURES as readonly string[]).includes(key));
  return Object.fromEntries(known.map(([key, { enabled = true, model }]) => [key, { enabled, model: tidy(model) }]));
}

/** Every feature with its configuration; unsaved ones are enabled with the default model. */
export const allFeatures = (stored: FeatureConfigs): Record<Feature, FeatureConfig> =>
  Object.fromEntries(FEATURES.map((key) => [key, stored[key] ?? { enabled: true, model: null }])) as Record<
    Feature,
    FeatureConfig
  >;

/**
 * Validates settings as a whole and fills in derived values (platform §1.1).
 * @throws 422 with every missing or invalid field
 */
export function checkedSettings(given: SentSettings, { hasKey, hasSpeechKey }: Keys): StoredSettings {
  const speech = given.speech_provider ?? null;
  const [baseUrl, speechUrl] = [tidy(given.base_url), speech === null ? null : tidy(given.speech_base_url)];
  const model = tidy(given.default_model) ?? SHIPPED_MODEL[given.provider];
  const faults: Record<string, string | undefined> = {
    api_key: hasKey ? undefined : "errors.required",
    base_url: addressFault(baseUrl, given.provider === "openai_compatible"),
    default_model: model === null ? "errors.required" : undefined,
    speech_api_key: speech === null || hasSpeechKey ? undefined : "errors.required",
    speech_base_url: addressFault(speechUrl, speech === "openai_compatible"),
  };
  const wrong = Object.entries(faults).filter((entry): entry is [string, string] => entry[1] !== undefined);
  if (wrong.length > 0 || model === null) throw invalid(Object.fromEntries(wrong));
  return {
    provider: given.provider,
    base_url: baseUrl,
    default_model: model,
    features: storedFeatures(given.features),
    house_style: tidy(given.house_style),
    monthly_token_budget: given.monthly_token_budget ?? null,
    speech_provider: speech,
    speech_base_url: speechUrl,
    speech_model: speech === null ? null : (tidy(given.speech_model) ?? SPEECH_MODEL),
    monthly_audio_seconds_budget: given.monthly_audio_seconds_budget ?? null,
  };
}

/** The transcription model, with its default. */
export const speechModelOf = ({ speech_model: model }: Pick<AiSettingsRow, "speech_model">): string => model ?? SPEECH_MODEL;

/**
 * Whether a stored key may be sent to a provider at an address. A key only goes to the provider it was saved for, and another server is
 * another provider, whatever its name.
 */
export const isSameProvider = (
  stored: { provider: string | null; base_url: string | null },
  asked: { provider: string | null; base_url: string | null },
): boolean => stored.provider === asked.provider && isSameDestination(stored.base_url, asked.base_url);
