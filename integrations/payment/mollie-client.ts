import type { MollieClient } from "@mollie/api-client";
import { runtime } from "../../core/config/runtime.ts";
import { ProviderFailure, provider } from "../../core/outbound/provider/provider.ts";
import { redact } from "../../core/outbound/redact.ts";
import { type PaymentAccess, PaymentFailure } from "./provider.ts";

const root = () => runtime().config.paymentApiRoot;

/** Repeats are this file's own: reads once, creates never (money §11). */
const client = provider({ kind: "payment", baseUrl: root, mostBytes: 4 << 20, perMinute: 300, repeats: false });

/** Longest a read that was turned away waits before it is tried again, in milliseconds: a payer may be waiting for it. */
const LONGEST_PAUSE = 2000;
const FIRST_PAUSE = 250;

/** A call of the SDK: what it sends below the root, and the parsed answer it wants. */
type Send = (path: string, options?: { method?: string; headers?: Record<string, string>; body?: string }) => Promise<unknown>;

/** Where the SDK keeps the function that every one of its calls goes through. */
interface Inside {
  networkClient: { networkClient: { request: Send } };
}

/** An answer of Mollie that is no success: `{status, title, detail, field}`. */
export class MollieRefusal extends PaymentFailure {
  readonly status: number;
  constructor(status: number, message: string) {
    // 409: the same order is being worked on.
    super(status === 401 || status === 403 ? "rejected" : "failed", message, { isUnknown: status === 409 || status >= 500 });
    this.status = status;
  }
}

const refusalOf = (status: number, body: unknown, secrets: readonly string[]): MollieRefusal => {
  const { title, detail, field } = (body ?? {}) as Record<string, unknown>;
  const said = [title, detail, field].filter((part) => typeof part === "string").join(" ");
  return new MollieRefusal(status, redact(`HTTP ${status} ${said}`, secrets));
};

/**
 * Calls Mollie's root by the provider client. The SDK brings a transport of its own (node-fetch with neither deadline nor limit, past the
 * guard) and takes no other, so that its one request function is replaced: it keeps making paths, bodies and headers of idempotency, and
 * reading payments, while connecting, waiting, limits, circuit and trace are ours.
 */
function sender({ account, apiKey }: PaymentAccess, operation: string): Send {
  const secrets = [apiKey];
  const fetchOurs = client.fetch({ account, operation, secrets });
  return async (path, { method = "GET", headers, body } = {}) => {
    const response = await fetchOurs(`${root()}/${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${apiKey}`,
        Accept: "application/hal+json",
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    const parsed = parse(text);
    if (!response.ok) {
      const refused = refusalOf(response.status, parsed, secrets);
      throw Object.assign(refused, { retryAfter: seconds(response.headers.get("retry-after")) });
    }
    if (parsed === undefined)
      throw new PaymentFailure("failed", redact(`HTTP ${response.status}, but no JSON`), { isUnknown: true });
    return parsed;
  };
}

const seconds = (header: string | null): number | null => (/^\d{1,6}$/.test(header ?? "") ? Number(header) : null);

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a read may help a second time: it was turned away for now, or never got there. Who waited in vain is not kept waiting again. */
const mayRepeat = (error: unknown): boolean => {
  if (error instanceof MollieRefusal) return error.status === 429 || error.status >= 500;
  return error instanceof ProviderFailure && error.kind === "unreachable";
};

const pauseOf = (error: unknown): number => {
  const wait = (error as { retryAfter?: number | null }).retryAfter ?? null;
  return wait === null ? FIRST_PAUSE : Math.min(wait * 1000, LONGEST_PAUSE);
};

/** A read: tried once more on 429, 5xx or a broken connection (money §11). */
const readingTwice =
  (send: Send): Send =>
  async (path, options) => {
    try {
      return await send(path, options);
    } catch (error) {
      if (!mayRepeat(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseOf(error)));
      return send(path, options);
    }
  };

/**
 * Makes one call by the official client. It is loaded when the first account is used.
 * @throws PaymentFailure
 */
export async function callMollie<T>(
  access: PaymentAccess,
  operation: string,
  effect: "read" | "create",
  work: (mollie: MollieClient) => Promise<T>,
): Promise<T> {
  const { createMollieClient } = await import("@mollie/api-client");
  const mollie = createMollieClient({ apiKey: access.apiKey, apiEndpoint: root() });
  const send = sender(access, operation);
  const transport = effect === "read" ? readingTwice(send) : send;
  for (const part of [mollie.payments, mollie.methods]) replaceTransport(part as unknown as Inside, transport);
  try {
    return await work(mollie);
  } catch (error) {
    if (error instanceof PaymentFailure) throw error;
    if (error instanceof ProviderFailure) throw PaymentFailure.of(error);
    // The SDK could make nothing of an answer.
    throw new PaymentFailure("failed", redact((error as Error).message, [access.apiKey]), { isUnknown: true, cause: error });
  }
}

/** @throws Error where another version of the SDK is built otherwise: it must not call past the guard */
function replaceTransport(part: Inside, transport: Send): void {
  const network = part.networkClient?.networkClient;
  if (typeof network?.request !== "function") throw new Error("@mollie/api-client no longer has the request function we replace");
  network.request = transport;
}
