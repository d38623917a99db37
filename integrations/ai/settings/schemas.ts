import {
  answer,
  choice,
  flag,
  input,
  integer,
  line,
  list,
  map,
  multiline,
  nullable,
  optional,
  Type,
  text,
} from "../../../core/declare/schema.ts";
import { PROVIDERS, SPEECH_PROVIDERS } from "../models.ts";

const AIFeatureConfig = Type.Object(
  { enabled: optional(flag(true)), model: optional(nullable(text(255))) },
  { $id: "AIFeatureConfig", "x-usage": "both" },
);

/** A key travels in a header, which holds no control characters. */
const key = () => optional(nullable(line({ maxLength: 2000, writeOnly: true })));
const BUDGET = nullable(integer(1));

export const AISettingsRead = answer("AISettingsRead", {
  provider: choice(PROVIDERS),
  has_key: flag(false),
  base_url: nullable(Type.String()),
  default_model: Type.String(),
  features: map(AIFeatureConfig),
  house_style: nullable(Type.String()),
  monthly_token_budget: nullable(integer()),
  speech_provider: nullable(choice(SPEECH_PROVIDERS)),
  has_speech_key: flag(false),
  speech_base_url: nullable(Type.String()),
  speech_model: nullable(Type.String()),
  speech_available: Type.Boolean({ default: false, description: "Whether speech can be turned into text now" }),
  monthly_audio_seconds_budget: nullable(integer()),
});

export const AISettingsWrite = input("AISettingsWrite", {
  provider: choice(PROVIDERS),
  api_key: key(),
  base_url: optional(nullable(text(1024))),
  default_model: optional(nullable(text(255))),
  features: optional(map(AIFeatureConfig, { default: {} })),
  house_style: optional(nullable(multiline(4000))),
  monthly_token_budget: optional(BUDGET),
  speech_provider: optional(nullable(choice(SPEECH_PROVIDERS))),
  speech_api_key: key(),
  speech_base_url: optional(nullable(text(1024))),
  speech_model: optional(nullable(text(255))),
  monthly_audio_seconds_budget: optional(BUDGET),
});

export const AITestResult = answer("AITestResult", {
  ok: flag(),
  model: nullable(Type.String()),
  error: nullable(Type.String()),
});

export const AIModelsRequest = input("AIModelsRequest", {
  provider: optional(nullable(choice(PROVIDERS))),
  api_key: key(),
  base_url: optional(nullable(text(1024))),
});

export const AIModelsResult = answer("AIModelsResult", { models: list(Type.String()), error: nullable(Type.String()) });

export const AIUsageSummary = answer("AIUsageSummary", {
  month: Type.String({ description: "`YYYY-MM`, in UTC" }),
  tokens_total: integer(),
  budget: nullable(integer()),
  features: list(
    answer("AIUsageFeature", { feature: Type.String(), tokens_in: integer(), tokens_out: integer(), requests: integer() }),
  ),
});
