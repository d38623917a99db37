import {
  answer,
  choice,
  field,
  flag,
  IN_HEADER,
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
} from "../../../core/schema/schema.ts";
import { PROVIDERS, SPEECH_PROVIDERS } from "../models.ts";

const AIFeatureConfig = Type.Object(
  {
    enabled: field(optional(flag(true)), "Whether the feature is on"),
    model: field(optional(nullable(text(255))), "Model of the feature; null uses the default model"),
  },
  { $id: "AIFeatureConfig", "x-usage": "both" },
);

/** A key goes in a header, which allows no control characters. */
const key = () => optional(nullable(line({ pattern: IN_HEADER, maxLength: 2000, writeOnly: true })));
const BUDGET = nullable(integer(1));

const SETTINGS = {
  provider: "Provider of the model; `openai_compatible` is any service with that API at `base_url`",
  has_key: "Whether a key of the provider is stored",
  api_key: "Key of the provider; never shown again. Absent, null and empty keep the stored one; the first save needs one",
  base_url: "Address of the provider's API, required for `openai_compatible`; null uses the provider's own",
  default_model: "Default model; empty uses the built-in one of `anthropic` and `openai`; `openai_compatible` requires one",
  features:
    "Switch and model by feature: `assistant`, `writing_assist`, `time_assist`, `task_assist`, `reporting`, `email_assist`. It replaces the stored set; features that are left out are on",
  house_style: "Instructions added to the prompts for written texts; null without any",
  monthly_token_budget: "Tokens allowed per calendar month (UTC); null without a limit",
  speech_provider:
    "Provider of speech recognition; null uses `provider` if it can. Sending null erases key, address and model of speech",
  has_speech_key: "Whether a key of the speech provider is stored",
  speech_api_key: "Key of the speech provider; never shown again. Absent, null and empty keep the stored one",
  speech_base_url: "Address of the speech provider's API, required for `openai_compatible`; null uses the provider's own",
  speech_model: "Model of speech recognition; null uses `whisper-1`",
  monthly_audio_seconds_budget: "Seconds of speech allowed per calendar month (UTC); null without a limit",
};

export const AISettingsRead = answer(
  "AISettingsRead",
  {
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
  },
  SETTINGS,
);

export const AISettingsWrite = input(
  "AISettingsWrite",
  {
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
  },
  SETTINGS,
);

export const AITestResult = answer("AITestResult", {
  ok: field(flag(), "Whether the provider answered"),
  model: nullable(Type.String({ description: "Model called; null if none was called" })),
  error: nullable(Type.String({ description: "The provider's message on failure; null on success" })),
});

export const AIModelsRequest = input("AIModelsRequest", {
  provider: field(optional(nullable(choice(PROVIDERS))), "Provider to call; null uses the stored one"),
  api_key: field(key(), "Key to use, which is not stored; absent or empty uses the stored key, if it is of the same provider"),
  base_url: field(optional(nullable(text(1024))), "Address to call; null uses the stored one"),
});

export const AIModelsResult = answer("AIModelsResult", {
  models: field(list(Type.String()), "Names of the models, at most 200; empty on failure"),
  error: nullable(Type.String({ description: "Reason of the failure; null on success" })),
});
