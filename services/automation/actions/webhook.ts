import { text } from "node:stream/consumers";
import type { AutomationOutcome, ErrorKey } from "../../../core/declare/automation.ts";
import { unusableConfig } from "../../../core/declare/automation.ts";
import { actOutside } from "../../../core/outbound/acts.ts";
import {
  begin,
  checkUrl,
  type FailureKind,
  failureOf,
  guardedAgent,
  HARD_TIMEOUT,
  OutboundFailed,
  outgoingSpan,
  requireNoTransaction,
} from "../../../core/outbound/call.ts";
import { readUrl } from "../../../core/outbound/guard/addressing.ts";
import { OutboundRefused, type Reason } from "../../../core/outbound/guard/policy.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { inSpan, traceHeaders } from "../../../core/tracing/tracing.ts";
import type { WebhookCall } from "./action-configs.ts";

const MOST_BYTES = 64 * 1024;

/** Whether a JSON response body refuses the message. */
function saysNo(body: string): boolean {
  try {
    const said: unknown = JSON.parse(body);
    return typeof said === "object" && said !== null && "ok" in said && said.ok === false;
  } catch {
    return false;
  }
}

/** Whether an address has a private host, whatever its port. */
async function isPrivate(address: string): Promise<boolean> {
  const bare = new URL(address);
  bare.port = "";
  return checkUrl("automation", bare.href).then(
    () => false,
    (error: unknown) => error instanceof OutboundRefused && error.reason === "private",
  );
}

/** Why no response came, as keys; nothing else is revealed about the target. */
const FAILURES: Record<FailureKind, ErrorKey> = {
  timeout: "errors.automation_webhook_timeout",
  unreachable: "errors.automation_webhook_unreachable",
  too_large: "errors.automation_webhook_unreadable",
  garbage: "errors.automation_webhook_unreadable",
};
const REFUSALS: Record<Exclude<Reason, "invalid">, ErrorKey> = {
  private: "errors.automation_webhook_private_target",
  port: "errors.automation_webhook_port",
  unresolved: "errors.automation_webhook_unresolved",
  credentials: "errors.automation_webhook_invalid_url",
  https_required: "errors.automation_webhook_invalid_url",
};

/** The failure for a missing response. Reports a private address, even if its port was refused first. */
async function withoutAnswer(error: Error, address: string): Promise<AutomationOutcome> {
  if (error instanceof OutboundFailed) return { failed: FAILURES[error.kind] };
  if (!(error instanceof OutboundRefused)) return { failed: FAILURES.unreachable };
  if (error.reason === "invalid") return unusableConfig;
  return { failed: REFUSALS[error.reason === "port" && (await isPrivate(address)) ? "private" : error.reason] };
}

/** Errors of a connection that ended before its answer: the message may have arrived. */
const ANSWER_LOST = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"]);

const isAnswerLost = (error: Error): boolean =>
  error instanceof OutboundFailed &&
  error.kind === "unreachable" &&
  ANSWER_LOST.has((error.cause as { code?: string })?.code ?? "");

/** Sends the message, and once again under the same id when the connection ends before its answer. */
async function sendUntilAnswered<T>(send: () => Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!isAnswerLost(failureOf(error, signal))) throw error;
    return await send();
  }
}

/**
 * Posts an event to another system (platform chapter §2.5): unsigned, within ten seconds, to a public address, without following redirects.
 * Without `confirm` any response counts as success and its body is not read; with it `{"ok": false}` fails, and so does a status other than
 * 2xx. A message whose answer was lost is sent again with the same `webhook-id`, by which its receiver recognises it.
 * @param id the message's id, the same on every node that takes the action over
 */
export async function postWebhook({ config, trigger }: Static<typeof WebhookCall>, id: string): Promise<AutomationOutcome> {
  requireNoTransaction("automation");
  await actOutside("automation");
  const { event, entity_type, entity_id, payload } = trigger;
  const signal = AbortSignal.timeout(HARD_TIMEOUT);
  const agent = await guardedAgent("automation", HARD_TIMEOUT, { pipelining: 0 });
  const send = async (): Promise<AutomationOutcome> => {
    const { status, body } = await begin(agent, readUrl("automation", config.url), {
      method: "POST",
      headers: { "content-type": "application/json", "webhook-id": id, ...traceHeaders() },
      body: JSON.stringify({ event, entity_type, entity_id, payload }),
      signal,
      mostBytes: MOST_BYTES,
    });
    if (!config.confirm) {
      body.on("error", () => {}).destroy();
      return { result: { status_code: status } };
    }
    // A response too large to read counts as not refusing.
    const said = await text(body).catch((error: unknown) => {
      const failure = failureOf(error, signal);
      if (failure instanceof OutboundFailed && failure.kind === "too_large") return "";
      throw failure;
    });
    const confirmed = status >= 200 && status < 300 && !saysNo(said);
    return {
      result: { status_code: status, confirmed },
      ...(!confirmed && { failed: "errors.automation_webhook_not_confirmed" }),
    };
  };
  try {
    return await inSpan(outgoingSpan("automation", "POST"), () => sendUntilAnswered(send, signal));
  } catch (error) {
    return await withoutAnswer(failureOf(error, signal), config.url);
  } finally {
    void agent.destroy();
  }
}
