import type { Readable } from "node:stream";
import { unsealed } from "../../../core/database/sealed.ts";
import { actOutside } from "../../../core/outbound/acts.ts";
import { begin, failureOf, guardedAgent, HARD_TIMEOUT, requireNoTransaction } from "../../../core/outbound/call.ts";
import { readUrl } from "../../../core/outbound/guard/addressing.ts";
import { redact } from "../../../core/outbound/redact.ts";
import { traceHeaders } from "../../../core/tracing/tracing.ts";
import { WebhookEndpoint, type WebhookEndpointRow } from "../models.ts";
import { signedHeaders } from "./signing.ts";

/** Bytes of a response body that are stored; the rest is not read. */
const KEPT_BYTES = 1024;
const MOST_BYTES = 1024 * 1024;

/** The outcome of one attempt: the response's status and the beginning of its body, or the error. */
export interface Attempt {
  status: number | null;
  body: string | null;
  error: string | null;
}

/** The beginning of a body. An interrupted body changes nothing: the status decides. */
async function beginningOf(body: Readable): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of body) {
      parts.push(part as Buffer);
      size += (part as Buffer).byteLength;
      if (size >= KEPT_BYTES) break;
    }
  } catch {
    // The status decides.
  }
  return Buffer.concat(parts).subarray(0, KEPT_BYTES).toString().replaceAll("\0", "");
}

/** The secrets of an endpoint valid at a moment, the newest first; empty if the stored one cannot be read. */
export function secretsOf(endpoint: WebhookEndpointRow, now: Date): string[] {
  const secret = unsealed(WebhookEndpoint, endpoint, "secret");
  if (secret === null) return [];
  const until = endpoint.previous_secret_until;
  const previous = until !== null && new Date(until) > now ? unsealed(WebhookEndpoint, endpoint, "previous_secret") : null;
  return previous === null ? [secret] : [secret, previous];
}

/**
 * Sends a message once: signed, to a checked address, without following redirects, within 10 seconds. Never throws for the receiver's
 * behaviour. Must run outside any transaction.
 * @param id the message's id
 */
export async function sendMessage(endpoint: WebhookEndpointRow, id: string, body: string, stop?: AbortSignal): Promise<Attempt> {
  requireNoTransaction("webhook");
  const now = new Date();
  const secrets = secretsOf(endpoint, now);
  if (secrets.length === 0) return { status: null, body: null, error: "the signing secret cannot be read: rotate it" };
  await actOutside("webhook");
  const deadline = AbortSignal.timeout(HARD_TIMEOUT);
  const signal = stop ? AbortSignal.any([deadline, stop]) : deadline;
  try {
    const url = readUrl("webhook", endpoint.url);
    const agent = await guardedAgent("webhook", HARD_TIMEOUT, { pipelining: 0 });
    try {
      const headers = { "content-type": "application/json", ...signedHeaders(id, now, body, secrets), ...traceHeaders() };
      const answer = await begin(agent, url, { method: "POST", headers, body, signal, mostBytes: MOST_BYTES });
      return { status: answer.status, body: await beginningOf(answer.body), error: null };
    } finally {
      void agent.destroy();
    }
  } catch (error) {
    // The node is shutting down: the outcome is unknown, and the job runs again with the same id.
    stop?.throwIfAborted();
    return { status: null, body: null, error: redact(failureOf(error, signal).message) };
  }
}
