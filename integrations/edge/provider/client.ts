import { runtime } from "../../../core/config/runtime.ts";
import { type ProviderCall, ProviderFailure, provider } from "../../../core/outbound/provider/provider.ts";
import { retryAfterSeconds } from "../../../core/outbound/provider/retry.ts";
import { redact } from "../../../core/outbound/redact.ts";
import { storable } from "../../../core/values/stored-text.ts";
import { errorsIn, objectIn } from "./envelope.ts";
import { EdgeFailure } from "./failure.ts";

const root = () => runtime().config.edgeApiUrl;

/** The provider allows 1,200 calls in five minutes, in bursts of any size; above that it returns its own waiting time. */
const client = provider({ kind: "edge", baseUrl: root, perMinute: 1_200, mostBytes: 16 << 20 });

/** The credentials of an organisation's account at the provider. */
export interface EdgeAccess {
  /** The account's id in Kantoor: limits and circuit breaker are per account. */
  account: string;
  token: string;
}

/** A call to the provider. */
export interface EdgeCall {
  /** Name in logs and metrics, such as `zones.list`. */
  operation: string;
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path below the root, with a leading slash. The caller encodes external parts. */
  path: string;
  query?: Record<string, string | number>;
  body?: object;
  /** Default: GET reads, PATCH and DELETE are idempotent, POST and PUT create. */
  effect?: ProviderCall["effect"];
}

/** The content of a response envelope. */
export interface EdgeAnswer {
  result: unknown;
  resultInfo: Readonly<Record<string, unknown>>;
}

const effectOf = ({ method = "GET", effect }: EdgeCall): ProviderCall["effect"] =>
  effect ?? (method === "GET" ? "read" : method === "PATCH" || method === "DELETE" ? "idempotent" : "create");

/** Sends one call. @throws EdgeFailure */
async function send({ account, token }: EdgeAccess, call: EdgeCall): Promise<{ status: number; text: string }> {
  const { operation, method = "GET", path, query, body } = call;
  const secrets = [token];
  const asked: ProviderCall = { account, operation, method, path, effect: effectOf(call), secrets };
  if (query) asked.query = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
  if (body) asked.json = body;
  const answer = await client.answer({ ...asked, headers: { authorization: `Bearer ${token}` } }).catch((error: unknown) => {
    throw error instanceof ProviderFailure ? EdgeFailure.of(error) : error;
  });
  const { status, headers } = answer;
  const text = answer.body.toString();
  if (status < 300) return { status, text };
  const retryAfter = retryAfterSeconds(headers["retry-after"], Date.now());
  const said = errorsIn(parsed(text));
  throw EdgeFailure.answered(status, said.length > 0 ? said : [{ code: null, message: text }], retryAfter, secrets);
}

/** Escapes of NUL and of halves of surrogate pairs, or of whole pairs. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/i;
/** Its texts can be stored, whatever characters people at the provider typed. */
const readable = (_: string, value: unknown): unknown => (typeof value === "string" ? storable(value) : value);

/** Parses JSON; undefined if invalid. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text, UNSTORABLE.test(text) ? readable : undefined);
  } catch {
    return undefined;
  }
}

/** Calls the provider and unwraps its envelope. @throws EdgeFailure unless successful */
export async function callEdge(access: EdgeAccess, call: EdgeCall): Promise<EdgeAnswer> {
  const { status, text } = await send(access, call);
  const found = text === "" ? { success: true } : parsed(text);
  if (found === undefined)
    throw new EdgeFailure(redact(`HTTP ${status}, but no JSON: ${text}`, [access.token]), { status, wasReached: true });
  const envelope = objectIn(found);
  if (envelope["success"] === false) throw EdgeFailure.answered(status, errorsIn(envelope), null, [access.token]);
  if (envelope["success"] !== true)
    throw new EdgeFailure(redact(`HTTP ${status}, but no answer of the provider: ${text}`, [access.token]), {
      status,
      wasReached: true,
    });
  return { result: envelope["result"], resultInfo: objectIn(envelope["result_info"]) };
}

/** Calls an endpoint that responds without an envelope. @throws EdgeFailure */
export const callEdgeForText = async (access: EdgeAccess, call: EdgeCall): Promise<string> => (await send(access, call)).text;
