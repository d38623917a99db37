import { columns } from "../../../core/database/model.ts";
import { queryOutside } from "../../../core/database/query.ts";
import { unsealed } from "../../../core/database/sealed.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { AiSettings, type AiSettingsRow } from "../models.ts";
import type { AiAccess } from "../providers/provider.ts";

const READ = statement(`select ${columns(AiSettings)} from ai_settings where organisation_id = $1`);

/** The organisation's settings, or undefined; by default read outside the transaction. */
export const loadSettings = (read: typeof queryOutside = queryOutside): Promise<AiSettingsRow | undefined> =>
  read<AiSettingsRow>(READ, [request().organisation.id]);

/** The chat account; null without a readable key, which counts as not configured (platform §0). */
export function chatAccess(row: AiSettingsRow): AiAccess | null {
  const apiKey = unsealed(AiSettings, row, "api_key");
  return apiKey === null ? null : { provider: row.provider, apiKey, baseUrl: row.base_url };
}

/** The transcription account: its own, else the chat account if it can transcribe; null if there is none. */
export function speechAccess(row: AiSettingsRow): AiAccess | null {
  if (row.speech_provider === null) return row.provider === "anthropic" ? null : chatAccess(row);
  const apiKey = unsealed(AiSettings, row, "speech_api_key");
  return apiKey === null ? null : { provider: row.speech_provider, apiKey, baseUrl: row.speech_base_url };
}
