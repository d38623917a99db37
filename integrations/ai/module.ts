import { defineModule } from "../../core/declare/module.ts";

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
  records: {
    ai_settings: { readers: { permission: "ai.settings.manage" }, client: null, trail: true },
    ai_report: {
      seen: ["ai.reports.get", "report_id"],
      readers: { permission: "ai.use" },
      client: { table: "ai_reports", of: "t.company_id" },
      trail: true,
    },
  },
  tables: ["ai_settings", "ai_usage", "ai_reservations", "ai_reports"],
  tags: { ai: "Assistants, their models and budgets." },
  parameters: { ":report_id": "The report draft" },
});
