import { defineModule } from "../../core/declare/module.ts";
import { aiResultTexts } from "./key-texts.ts";

/** AI models of external providers: settings, budgets and features. */
export default defineModule({
  key: "ai",
  kind: "core",
  licence: "ai",
  permissions: {
    "ai.use": { position: 10, grants: ["admin", "member"] },
    "ai.settings.manage": { position: 20, grants: ["admin"] },
  },
  errors: {
    409: ["ai_budget_reached", "ai_feature_disabled", "ai_not_configured", "ai_speech_not_configured"],
    413: ["validation errors.ai_audio_too_large"],
    422: ["validation errors.ai_audio_unsupported"],
    502: ["ai_answer_truncated", "ai_provider_error"],
  },
  errorTexts: {
    ai_budget_reached: [
      "The organisation's monthly budget of tokens, or of seconds of speech, is used up or reserved by running calls.",
      "Raise the budget in the settings of AI, send `override_budget`, or wait for the next month.",
    ],
    ai_feature_disabled: ["The feature is disabled in the settings of AI.", "Ask an administrator to enable it."],
    ai_not_configured: [
      "The organisation has no settings of AI, or the service cannot decrypt the stored API key.",
      "Enter the provider and its API key in the settings of AI.",
    ],
    ai_speech_not_configured: [
      "The organisation has no provider that transcribes speech: none of its own for it, and the provider of texts cannot transcribe or has no readable API key.",
      "Set `speech_provider` and its API key in the settings of AI.",
    ],
    "validation errors.ai_audio_too_large": ["The audio has more than 8 MiB.", "Send a shorter recording."],
    "validation errors.ai_audio_unsupported": ["The audio is not WebM, Ogg, MP4, WAV or MP3.", "Send one of these formats."],
    ai_answer_truncated: [
      "The model's answer reached its limit of tokens, or the end of the model's context.",
      "Shorten the request, or choose another model.",
    ],
    ai_provider_error: [
      "The provider of the model failed, refused the call, or did not respond.",
      "Repeat the call later. If it keeps failing, check the provider, key and model in the settings of AI.",
    ],
  },
  resultTexts: aiResultTexts,
  records: {
    ai_settings: { readers: { permission: "ai.settings.manage" }, client: null, trail: true },
    ai_report: {
      copied: { list: "ai.reports.list", table: "ai_reports" },
      seen: ["ai.reports.get", "report_id"],
      readers: { permission: "ai.use" },
      client: { table: "ai_reports", of: "t.company_id" },
      trail: true,
    },
  },
  references: { "ai_reports.company_id": { to: "company" } },
  tables: ["ai_settings", "ai_usage", "ai_reservations", "ai_reports"],
  tags: { ai: "Assistants, their models and budgets." },
  parameters: { ":report_id": "The report draft" },
});
