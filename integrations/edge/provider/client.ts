import type { APIError } from "cloudflare";
import { runtime } from "../../../core/config/runtime.ts";
import type { ProviderCall } from "../../../core/outbound/provider/provider.ts";
import { ProviderFailure, provider } from "../../../core/outbound/provider/provider.ts";
import { retryAfterSeconds } from "../../../core/outbound/provider/retry.ts";
import { redact } from "../../../core/outbound/redact.ts";
import { errorsIn, type Fields, fieldsOf } from "./envelope.ts";
import { EdgeFailure } from "./failure.ts";

const root = () => runtime().config.edgeApiUrl;

/** The provider allows 1,200 calls in five minutes, in whatever bursts; beyond those it says itself how long it wants to be left alone. */
const client = provider({ kind: "edge", baseUrl: root, perMinute: 1_200, mostBytes: 16 << 20 });

/** Longer than a job may wait between its attempts: giving up is our client's affair. */
const NO_TIMEOUT = 2_000_000_000;

/** An account of an organisation at the provider, for calls. */
export interface EdgeAccess {
  /** Id of the account here: limits and circuit are per account. */
  account: string;
  token: string;
}

/** One call. */
export interface EdgeCall {
  /** Its name in logs and metrics, such as `zones.list`. */
  operation: string;
  method?: "get" | "post" | "put" | "patch" | "delete";
  /** Below the root, with a leading slash. Parts that come from outside are encoded by the caller. */
  path: string;
  query?: Record<string, string | number>;
  body?: object;
  /** Default: a GET reads, PATCH and DELETE may be repeated, POST and PUT create. */
  effect?: ProviderCall["effect"];
}

/** What the provider wraps an answer in. */
export interface EdgeAnswer {
  result: unknown;
  resultInfo: Readonly<Record<string, unknown>>;
}

const effectOf = ({ method = "get", effect }: EdgeCall): ProviderCall["effect"] =>
  effect ?? (method === "get" ? "read" : method === "patch" || method === "delete" ? "idempotent" : "create");

/** Makes one call by the official client, which is loaded when the first account is used. @throws EdgeFailure */
async function send({ account, token }: EdgeAccess, call: EdgeCall): Promise<{ status: number; text: string }> {
  const { BaseCloudflare } = await import("cloudflare/client");
  const { operation, method = "get", path, query, body } = call;
  const secrets = [token];
  const ours = client.fetch({ account, operation, effect: effectOf(call), secrets });
  let failure: ProviderFailure | null = null;
  const cloudflare = new BaseCloudflare({
    apiToken: token,
    baseURL: root(),
    maxRetries: 0,
    timeout: NO_TIMEOUT,
    logLevel: "off",
    // The client throws an error of its own, which does not always hold ours.
    fetch: (input, init) =>
      ours(input as never, init as never).catch((error: unknown) => {
        if (error instanceof ProviderFailure) failure = error;
        throw error;
      }),
  });
  try {
    const response = await cloudflare.request({ method, path, ...(query && { query }), ...(body && { body }) }).asResponse();
    return { status: response.status, text: await response.text() };
  } catch (error) {
    if (failure) throw EdgeFailure.of(failure);
    const { status, headers, error: envelope, message } = error as APIError;
    if (typeof status !== "number") throw error;
    const retryAfter = retryAfterSeconds(headers?.get("retry-after") ?? undefined, Date.now());
    const said = errorsIn(envelope);
    throw EdgeFailure.answered(status, said.length > 0 ? said : [{ code: null, message }], retryAfter, secrets);
  }
}

/** Calls the provider and opens its envelope. @throws EdgeFailure for every answer that is no success */
export async function callEdge(access: EdgeAccess, call: EdgeCall): Promise<EdgeAnswer> {
  const { status, text } = await send(access, call);
  let envelope: Fields;
  try {
    envelope = text === "" ? { success: true } : fieldsOf(JSON.parse(text));
  } catch (cause) {
    throw new EdgeFailure(redact(`HTTP ${status}, but no JSON: ${text}`, [access.token]), { status, wasReached: true, cause });
  }
  if (envelope["success"] === false) throw EdgeFailure.answered(status, errorsIn(envelope), null, [access.token]);
  if (envelope["success"] !== true)
    throw new EdgeFailure(redact(`HTTP ${status}, but no answer of the provider: ${text}`, [access.token]), {
      status,
      wasReached: true,
    });
  return { result: envelope["result"], resultInfo: fieldsOf(envelope["result_info"]) };
}

/** Calls for an answer without envelope. @throws EdgeFailure */
export const callEdgeForText = async (access: EdgeAccess, call: EdgeCall): Promise<string> => (await send(access, call)).text;
