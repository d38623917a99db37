import { runtime } from "../../core/config/runtime.ts";
import { type ProviderAnswer, ProviderFailure, provider } from "../../core/outbound/provider/provider.ts";
import { redact } from "../../core/outbound/redact.ts";
import { type OutgoingSms, SmsFailure, type SmsGateway } from "./gateway.ts";

const client = provider({ kind: "sms", baseUrl: () => runtime().config.smsApiUrl, readTimeout: 10_000, mostBytes: 256 * 1024 });

/** Temporary refusals. 409: a request with the same key is in progress. */
const LATER = new Set([408, 409, 425]);

/** The error texts of an answer, `{errors: [{code, title, detail}]}`, parsed leniently. */
function complaintIn(answer: ProviderAnswer): string {
  try {
    const { errors } = answer.json() as { errors?: { code?: string; title?: string; detail?: string }[] };
    const [{ code, title, detail } = {}] = errors ?? [];
    return [code, title, detail].filter((part) => typeof part === "string").join(" ");
  } catch {
    return "";
  }
}

/** The id of an accepted message, `{data: {id}}`. */
function idIn(answer: ProviderAnswer): string {
  const { data } = answer.json() as { data?: { id?: unknown } };
  if (typeof data?.id !== "string") throw new SmsFailure("the gateway took the message without an id", false);
  return data.id;
}

/**
 * Telnyx, Messaging API v2: `POST /messages`, bearer key, numbers in E.164. A retry carries the same `Idempotency-Key` and the identical
 * body; for 24 hours the gateway then repeats its first answer.
 */
export const telnyx: SmsGateway = {
  async send({ id, to, text, secrets, signal }: OutgoingSms) {
    const { smsApiKey: key = "", smsSender: from, smsProfile: profile } = runtime().config;
    const hidden = [...secrets, key];
    try {
      const answer = await client.call({
        account: "instance",
        operation: "messages.create",
        method: "POST",
        path: "/messages",
        headers: { Authorization: `Bearer ${key}` },
        json: { from, to, text, type: "SMS", ...(profile !== undefined && { messaging_profile_id: profile }) },
        effect: "create",
        idempotencyKey: { header: "Idempotency-Key", value: id },
        secrets: hidden,
        signal,
      });
      if (answer.status >= 200 && answer.status < 300) return idIn(answer);
      throw new SmsFailure(redact(`HTTP ${answer.status} ${complaintIn(answer)}`, hidden), !LATER.has(answer.status));
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error;
      const wait = error.retryAfter === null ? null : error.retryAfter * 1000;
      throw new SmsFailure(error.text, error.kind === "refused", wait, { cause: error });
    }
  },
};
