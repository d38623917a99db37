import { runtime } from "../../../core/config/runtime.ts";
import { type ProviderCall, ProviderFailure, provider } from "../../../core/outbound/provider/provider.ts";
import { retryAfterSeconds } from "../../../core/outbound/provider/retry.ts";
import { redact } from "../../../core/outbound/redact.ts";
import { errorsIn, fieldsOf } from "./envelope.ts";
import { EdgeFailure } from "./failure.ts";

const root = () => runtime().config.edgeApiUrl;

/** The provider allows 1,200 calls in five minutes, in whatever bursts; beyond those it says itself how long it wants to be left alone. */
const client = provider({ kind: "edge", baseUrl: root, perMinute: 1_200, mostBytes: 16 << 20 });

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
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
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

const effectOf = ({ method = "GET", effect }: EdgeCall): ProviderCall["effect"] =>
  effect ?? (method === "GET" ? "read" : method === "PATCH" || method === "DELETE" ? "idempotent" : "create");

/** Makes one call. @throws EdgeFailure */
async function send({ account, token }: EdgeAccess, call: EdgeCall): Promise<{ status: number; text: string }> {
  const { operation, method = "GET", path, query, body } = call;
  const secrets = [token];
  const asked: ProviderCall = { account, operation, method, path, effect: effectOf(call), secrets };
  if (query) asked.query = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
  if (body) asked.json = body;
  const answer = await client.call({ ...asked, headers: { authorization: `Bearer ${token}` } }).catch((error: unknown) => {
    if (!(error instanceof ProviderFailure)) throw error;
    if (error.answer) return error.answer;
    throw EdgeFailure.of(error);
  });
  const { status, headers } = answer;
  const text = answer.body.toString();
  if (status < 300) return { status, text };
  const retryAfter = retryAfterSeconds(headers["retry-after"], Date.now());
  const said = errorsIn(parsed(text));
  throw EdgeFailure.answered(status, said.length > 0 ? said : [{ code: null, message: text }], retryAfter, secrets);
}

/** The JSON of a text, undefined where it is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Calls the provider and opens its envelope. @throws EdgeFailure for every answer that is no success */
export async function callEdge(access: EdgeAccess, call: EdgeCall): Promise<EdgeAnswer> {
  const { status, text } = await send(access, call);
  const found = text === "" ? { success: true } : parsed(text);
  if (found === undefined)
    throw new EdgeFailure(redact(`HTTP ${status}, but no JSON: ${text}`, [access.token]), { status, wasReached: true });
  const envelope = fieldsOf(found);
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
