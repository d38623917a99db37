import { callOutside, type OutboundAnswer, OutboundFailed } from "../../core/outbound/call.ts";
import { OutboundRefused } from "../../core/outbound/guard/policy.ts";
import { retryAfterSeconds } from "../../core/outbound/provider/retry.ts";
import { redact } from "../../core/outbound/redact.ts";
import { ChannelFailure } from "./channel.ts";

interface Posting {
  json: unknown;
  /** Where the operator has the provider's calls go instead of to its own host; undefined for none. */
  base?: string | undefined;
  /** Default `application/json`. */
  contentType?: string;
  signal?: AbortSignal | undefined;
  /** Values blanked wherever a text is kept, beside the address and the parts of its path. */
  secrets?: readonly string[];
}

/** What an answer says in words, redacted; the parts of the address are secrets too. */
export interface Told {
  answer: OutboundAnswer;
  text: string;
  json(): unknown;
  /** The failure an answer stands for. @param said the provider's own words, or else its body */
  failure(said?: string, retryAfter?: number | null): ChannelFailure;
}

/** What must not be read from a text: the address, its path and query, and what is long enough in them to be a credential. */
const secretsIn = (url: URL): string[] => [
  url.href,
  url.pathname + url.search,
  ...url.pathname.split("/").filter((part) => part.length > 7),
  ...url.searchParams.values(),
];

/**
 * Posts JSON to an address of a channel, through the guard; what is called instead of a provider's own host is the operator's choice.
 * @throws ChannelFailure without an answer
 */
export async function postJson(address: string, { json, base, contentType, signal, secrets = [] }: Posting): Promise<Told> {
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

/** Whether an answer says that the message was taken. */
export const isTaken = ({ answer }: Told): boolean => answer.status >= 200 && answer.status < 300;
