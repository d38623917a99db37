import { queryOne } from "../../../core/database/query.ts";
import { givenSecret } from "../../../core/database/sealed.ts";
import { lock, queueInsert, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { prepared, request } from "../../../core/request/context.ts";
import { nullable } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { changesOf, trail } from "../../../core/trail/trail.ts";
import { resource } from "../../../mixins/resource.ts";
import { AiSettings, type AiSettingsRow } from "../models.ts";
import { LONGEST_ACTION } from "../providers/outside.ts";
import { foundModels, triedSettings } from "./asking.ts";
import { allFeatures, checkedSettings, isSameProvider, type StoredSettings } from "./rules.ts";
import { AIModelsRequest, AIModelsResult, AISettingsRead, AISettingsWrite, AITestResult } from "./schemas.ts";
import { chatAccess, loadSettings, speechAccess } from "./stored.ts";

/** The settings response, which never contains a key. */
function shown(row: AiSettingsRow | undefined): JsonText {
  if (!row) return new JsonText("null", 0);
  const body = {
    provider: row.provider,
    has_key: chatAccess(row) !== null,
    base_url: row.base_url,
    default_model: row.default_model,
    features: allFeatures(row.features),
    house_style: row.house_style,
    monthly_token_budget: row.monthly_token_budget,
    speech_provider: row.speech_provider,
    has_speech_key: row.speech_provider !== null && speechAccess(row) !== null,
    speech_base_url: row.speech_base_url,
    speech_model: row.speech_model,
    speech_available: speechAccess(row) !== null,
    monthly_audio_seconds_budget: row.monthly_audio_seconds_budget,
  };
  return new JsonText(JSON.stringify(body), row.version);
}

/** Locks the stored row and checks `If-Match`; version 0 without a row. */
async function stored(): Promise<AiSettingsRow | undefined> {
  const found = await loadSettings(queryOne);
  const row = found && (await lock(AiSettings, found.id));
  requireMatch(row?.version ?? 0);
  return row;
}

/** The two keys to store: undefined keeps the stored one, null clears it. */
interface StoredKeys {
  api_key: string | undefined;
  speech_api_key: string | null | undefined;
}

/** Stores changed values; writes nothing if none changed (conventions §11). */
function store(row: AiSettingsRow | undefined, values: StoredSettings, keys: StoredKeys): void {
  if (!row) {
    // Of two concurrent first writes, the later one reruns and finds the earlier one's row.
    request().retryableConstraints.add("ai_settings_one");
    const id = queueInsert(AiSettings, {
      ...values,
      api_key: keys.api_key as string,
      speech_api_key: keys.speech_api_key ?? null,
    });
    trail("ai_settings", id, "created");
    return;
  }
  const changes = changesOf(AiSettings.tracked, row, values);
  // The trail records that the key changed, never its value.
  if (keys.api_key !== undefined) changes["api_key"] = { from: "***", to: "***" };
  if (keys.speech_api_key !== undefined && (keys.speech_api_key !== null || row.speech_api_key !== null))
    changes["speech_api_key"] = { from: row.speech_api_key && "***", to: keys.speech_api_key && "***" };
  if (Object.keys(changes).length === 0) return;
  queueUpdate(AiSettings, row.id, { ...values, ...keys });
  trail("ai_settings", row.id, "updated", { changes });
}

export default resource("ai.settings", {
  model: AiSettings,
  actions: {
    get: action({
      rest: "GET /ai/settings",
      summary: "Read which models the organisation uses; null until configured",
      permission: "ai.settings.manage",
      returns: nullable(AISettingsRead),
      handler: async () => shown(await loadSettings(queryOne)),
    }),

    replace: action({
      rest: "PUT /ai/settings",
      summary: "Set which models the organisation uses",
      description:
        "Other omitted fields get their defaults. An omitted key stays, unless the provider or its server changes: one provider's key is never sent to another.",
      permission: "ai.settings.manage",
      body: AISettingsWrite,
      example: {
        provider: "anthropic",
        api_key: "sk-example-0123456789",
        features: { assistant: { enabled: true }, email_assist: { enabled: false } },
        house_style: "Schrijf kort en vriendelijk, in de jij-vorm.",
        monthly_token_budget: 2000000,
      },
      returns: AISettingsRead,
      async handler(ctx) {
        const { api_key, speech_api_key, ...given } = ctx.params.body;
        const row = await stored();
        const asked = { provider: given.provider, base_url: given.base_url?.trim() || null };
        const speech = { provider: given.speech_provider ?? null, base_url: given.speech_base_url?.trim() || null };
        const keeps = row !== undefined && isSameProvider(row, asked) && chatAccess(row) !== null;
        const was = row && { provider: row.speech_provider, base_url: row.speech_base_url };
        const keepsSpeech = was?.provider != null && isSameProvider(was, speech) && speechAccess(row as AiSettingsRow) !== null;
        const [key, speechKey] = [givenSecret(api_key), givenSecret(speech_api_key)];
        const values = checkedSettings(given, {
          hasKey: key !== undefined || keeps,
          hasSpeechKey: speechKey !== undefined || keepsSpeech,
        });
        store(row, values, { api_key: key, speech_api_key: speech.provider === null ? null : speechKey });
        return shown(await loadSettings(queryOne));
      },
    }),

    remove: action({
      rest: "DELETE /ai/settings",
      summary: "Delete the models and their keys",
      permission: "ai.settings.manage",
      async handler() {
        const row = await stored();
        if (!row) return;
        queueRemove(AiSettings, row.id);
        trail("ai_settings", row.id, "deleted");
      },
    }),

    test: action({
      rest: "POST /ai/settings/test",
      summary: "Ask the stored model for a word",
      description: "Every failure is an answer: `ok` false and the reason.",
      permission: "ai.settings.manage",
      returns: AITestResult,
      status: 200,
      timeout: LONGEST_ACTION,
      acts: "outside",
      prepare: async () => triedSettings(await loadSettings()),
      handler: async () => prepared(),
    }),

    models: action({
      rest: "POST /ai/settings/models",
      summary: "List the models of a provider",
      description: "Omitted fields use the stored values. A failure is an answer, with the reason in `error`.",
      permission: "ai.settings.manage",
      body: AIModelsRequest,
      example: { provider: "anthropic", api_key: "sk-example-0123456789" },
      returns: AIModelsResult,
      status: 200,
      timeout: LONGEST_ACTION,
      prepare: async (ctx) => foundModels(await loadSettings(), ctx.params.body),
      handler: async () => prepared(),
    }),
  },
});
