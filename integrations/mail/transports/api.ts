import { type ProviderAnswer, type ProviderClient, ProviderFailure } from "../../../core/outbound/provider/provider.ts";
import { redact } from "../../../core/outbound/redact.ts";
import { MailFailure } from "./transport.ts";

/** A request to a mail service's API. */
export interface ApiRequest {
  /** The key of circuit breaker and limits. */
  account: string;
  path: string;
  headers: Record<string, string>;
  json: unknown;
  secrets: readonly string[];
  signal?: AbortSignal | undefined;
}

/** The service was not called, or reported that it accepted nothing. */
const NOT_TAKEN: ReadonlySet<ProviderFailure["kind"]> = new Set(["limited", "failed", "open", "busy", "refused"]);

/** Maps a failed call: permanent only if the configured address may not be called; otherwise a later attempt may succeed. */
function asFailure(error: unknown): unknown {
  if (!(error instanceof ProviderFailure)) return error;
  const { text, kind, retryAfter } = error;
  const wait = retryAfter === null ? null : retryAfter * 1000;
  return new MailFailure(text, kind === "refused", wait, NOT_TAKEN.has(kind) ? "mail" : "unanswered");
}

/** Posts to a mail service. @throws MailFailure without a response, or for one that asks to try later */
export async function post(
  client: ProviderClient,
  { account, path, headers, json, secrets, signal }: ApiRequest,
): Promise<ProviderAnswer> {
  try {
    return await client.call({
      account,
      operation: "mail.send",
      method: "POST",
      path,
      headers,
      json,
      effect: "create",
      secrets: [...secrets],
      ...(signal && { signal }),
    });
  } catch (error) {
    throw asFailure(error);
  }
}

/** The body of a refusal, parsed leniently: services report errors in many forms. */
export function bodyOf(answer: ProviderAnswer): unknown {
  try {
    return answer.json();
  } catch {
    return null;
  }
}

/** The failure for a mail refused with a status: permanent, because another attempt would get the same. */
export const refusedBy = (service: string, status: number, said: string, secrets: readonly string[]): MailFailure =>
  new MailFailure(redact(`${service} answered ${status}${said ? `: ${said}` : ""}`, secrets), true);
