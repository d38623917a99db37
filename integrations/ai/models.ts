import { column, type RowOf, tenantModel } from "../../core/database/model.ts";

const { integer, json, sealed, text, uuid } = column;

/** The providers an organisation chooses from; `openai_compatible` is whatever speaks the API of OpenAI at an address of its own. */
export const PROVIDERS = ["anthropic", "openai", "openai_compatible"] as const;
export type ProviderKey = (typeof PROVIDERS)[number];

/** Those of them that can turn speech into text. */
export const SPEECH_PROVIDERS = ["openai", "openai_compatible"] as const;
export type SpeechProviderKey = (typeof SPEECH_PROVIDERS)[number];

/** What an organisation can switch off by itself (platform §1.1). */
export const FEATURES = ["assistant", "writing_assist", "time_assist", "task_assist", "reporting", "email_assist"] as const;
export type Feature = (typeof FEATURES)[number];

export interface FeatureConfig {
  enabled: boolean;
  /** Null is the default model. */
  model: string | null;
}
export type FeatureConfigs = Readonly<Partial<Record<Feature, FeatureConfig>>>;

/** How an organisation uses models; one row each (platform §1.1). */
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

/** A report on a client's month, kept as it was written and edited (platform §1.3). */
export const AiReport = tenantModel("ai_reports", {
  company_id: uuid(),
  period: text(),
  language: text(),
  title: text().tracked(),
  content: text().withDefault(),
  created_by_name: text().orNull(),
});
export type AiReportRow = RowOf<typeof AiReport>;
