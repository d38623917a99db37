import { column, type RowOf, tenantModel } from "../../core/database/model.ts";
import { namedValues } from "../../core/naming/named-values.ts";

const { integer, json, sealed, text, uuid } = column;

/** The available providers; `openai_compatible` is any service with OpenAI's API at its own address. */
export const PROVIDERS = namedValues("AiProvider", ["anthropic", "openai", "openai_compatible"]);
export type ProviderKey = (typeof PROVIDERS)[number];

/** The providers that transcribe speech. */
export const SPEECH_PROVIDERS = namedValues("AiSpeechProvider", ["openai", "openai_compatible"]);
export type SpeechProviderKey = (typeof SPEECH_PROVIDERS)[number];

/** The features an organisation can disable separately (platform §1.1). */
export const FEATURES = ["assistant", "writing_assist", "time_assist", "task_assist", "reporting", "email_assist"] as const;
export type Feature = (typeof FEATURES)[number];

export interface FeatureConfig {
  enabled: boolean;
  /** Null: the default model. */
  model: string | null;
}
export type FeatureConfigs = Readonly<Partial<Record<Feature, FeatureConfig>>>;

/** An organisation's AI settings, one row each (platform §1.1). */
export const AiSettings = tenantModel("ai_settings", {
  provider: text<ProviderKey>().tracked(),
  api_key: sealed(),
  base_url: text().orNull().tracked(),
  default_model: text().tracked(),
  features: json<FeatureConfigs>().withDefault().tracked(),
  house_style: text().orNull().tracked(),
  monthly_token_budget: integer().orNull().tracked(),
  speech_provider: text<SpeechProviderKey>().orNull().tracked(),
  speech_api_key: sealed().orNull(),
  speech_base_url: text().orNull().tracked(),
  speech_model: text().orNull().tracked(),
  monthly_audio_seconds_budget: integer().orNull().tracked(),
});
export type AiSettingsRow = RowOf<typeof AiSettings>;

/** A report on a client's month, stored as written and edited (platform §1.3). */
export const AiReport = tenantModel("ai_reports", {
  company_id: uuid(),
  period: text(),
  language: text(),
  title: text().tracked(),
  content: text().withDefault(),
  created_by_name: text().orNull(),
});
export type AiReportRow = RowOf<typeof AiReport>;
