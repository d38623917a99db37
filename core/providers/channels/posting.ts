import { callOutside, type OutboundAnswer, OutboundFailed } from "../../outbound/call.ts";
import { OutboundRefused } from "../../outbound/guard/policy.ts";
import { retryAfterSeconds } from "../../outbound/provider/retry.ts";
import { redact } from "../../outbound/redact.ts";
import { ChannelFailure } from "./channel.ts";

interface Posting {
  json: unknown;
  /** The operator's replacement for the provider's own host, if configured. */
  base?: string | undefined;
  /** Default `application/json`. */
  contentType?: string;
  signal?: AbortSignal | undefined;
  /** Values to redact from stored texts, in addition to the address and its path segments. */
  secrets?: readonly string[];
}

/** A provider's answer; the texts it leads to are redacted. */
export interface ChannelAnswer {
  answer: OutboundAnswer;
  text: string;
  json(): unknown;
  /** The failure for this answer. @param said the provider's own words; by default its body */
  failure(said?: string, retryAfter?: number | null): ChannelFailure;
}

/** Secrets of an address: the address itself, its path and query, and any part long enough to be a credential. */
const secretsIn = (url: URL): string[] => [
  url.href,
  url.pathname + url.search,
  ...url.pathname.split("/").filter((part) => part.length > 7),
  ...url.searchParams.values(),
];

/**
 * Posts JSON to a channel's address through the guard; the operator can replace a provider's host.
 * @throws ChannelFailure without an answer
 */
export async function postJson(
  address: string,
  { json, base, contentType, signal, secrets = [] }: Posting,
): Promise<ChannelAnswer> {
  const url = new URL(address);
  const hidden = [...secretsIn(url), ...secrets];
  const target = base === undefined ? "notification" : "provider";
  const called = base === undefined ? address : `${base}${url.pathname}${url.search}`;
  try {
    const answer = await callOutside(target, called, {
      method: "POST",
      headers: { "content-type": contentType ?? "application/json", accept: "application/json, text/plain" },
      body: JSON.stringify(json),
      mostBytes: 256 * 1024,
      ...(signal && { signal }),
    });
    const text = answer.body.toString();
    return {
      answer,
      text,
      json() {
        try {
          return JSON.parse(text);
        } catch {
          return undefined;
        }
      },
      failure(said = text, retryAfter = retryAfterSeconds(answer.headers["retry-after"], Date.now())) {
        return new ChannelFailure(redact(`HTTP ${answer.status}${said.trim() === "" ? "" : `: ${said}`}`, hidden), retryAfter);
      },
    };
  } catch (error) {
    if (!(error instanceof OutboundRefused || error instanceof OutboundFailed)) throw error;
    throw new ChannelFailure(redact(error.message, hidden), null, { cause: error });
  }
}

/** Whether the provider accepted the message. */
export const isTaken = ({ answer }: ChannelAnswer): boolean => answer.status >= 200 && answer.status < 300;
