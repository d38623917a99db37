import { queryOutside } from "../../../core/database/query.ts";
import { refusal } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { storable } from "../../../core/values/stored-text.ts";
import { configured } from "../gate/gate.ts";
import { openaiClient } from "../providers/openai.ts";
import { type AiAccess, AiFailure, failureFrom } from "../providers/provider.ts";
import { speechModelOf } from "../settings/rules.ts";
import { speechAccess } from "../settings/stored.ts";
import { meterSpeech, release, reserve, THIS_MONTH } from "../usage/metering.ts";
import { type Clip, mostSeconds } from "./audio.ts";

const USED = statement(`select coalesce(sum(audio_seconds), 0)::float8 as seconds from ai_usage
  where organisation_id = $1 and month = ${THIS_MONTH}`);

/** A clip's text, and its length if the provider reports it. */
interface Heard {
  text: string;
  seconds: number | null;
}

/** The text and length in a provider's answer, which may be anything. @throws AiFailure without a text */
function heardIn(answer: unknown): Heard {
  const { text, usage } = (answer ?? {}) as { text?: unknown; usage?: { type?: unknown; seconds?: unknown } | null };
  if (typeof text !== "string") throw new AiFailure("the provider's answer contains no text");
  const seconds = usage?.type === "duration" && typeof usage.seconds === "number" ? Math.ceil(usage.seconds) : 0;
  return { text: storable(text), seconds: seconds > 0 ? seconds : null };
}

async function heardBy(access: AiAccess, model: string, { bytes, extension }: Clip, language: string | null): Promise<Heard> {
  try {
    const client = await openaiClient(access);
    const file = new File([new Uint8Array(bytes)], `clip.${extension}`);
    const answer: unknown = await client.audio.transcriptions.create({ file, model, ...(language !== null && { language }) });
    return heardIn(answer);
  } catch (error) {
    throw failureFrom(error, access);
  }
}

/**
 * Transcribes a clip, which is not stored (platform §1.4).
 * @throws 409 ai_not_configured, ai_feature_disabled, ai_speech_not_configured, ai_budget_reached; 502
 */
export async function transcribed(clip: Clip, language: string | null, isOverriding: boolean): Promise<string> {
  const settings = await configured("time_assist");
  const access = speechAccess(settings);
  if (!access) throw refusal("ai_speech_not_configured");
  const budget = isOverriding ? null : settings.monthly_audio_seconds_budget;
  const used = await queryOutside<{ seconds: number }>(USED, [request().organisation.id]);
  if (budget !== null && (used?.seconds ?? 0) >= budget) throw refusal("ai_budget_reached");
  const most = mostSeconds(clip);
  const reservation = await reserve({ tokens: 0, audioSeconds: most, tokenBudget: null, audioBudget: budget });
  if (reservation === null) throw refusal("ai_budget_reached");
  try {
    const { text, seconds } = await heardBy(access, speechModelOf(settings), clip, language);
    await meterSpeech("time_assist", seconds ?? most);
    return text;
  } catch (error) {
    throw error instanceof AiFailure ? refusal("ai_provider_error") : error;
  } finally {
    await release(reservation);
  }
}
