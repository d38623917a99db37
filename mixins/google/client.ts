import type { ProviderAnswer, ProviderCall } from "../../core/outbound/provider/provider.ts";
import { ProviderFailure } from "../../core/outbound/provider/provider.ts";
import { retryAfterSeconds } from "../../core/outbound/provider/retry.ts";
import { APIS, type GoogleApi, type LibraryApi, type LibraryClients, libraryClient } from "./apis.ts";
import { GoogleFailure } from "./failure.ts";
import type { WorkspaceConnectionRow } from "./models.ts";
import { accessToken, forgetToken, type HeldToken, isFresh } from "./tokens.ts";
import { inRequest, type Transactions } from "./transactions.ts";
import { type LibraryRequest, libraryAnswer, sentFrom } from "./transport.ts";

/** One person's grant, for the calls of one request or one job run. */
export interface GoogleAccess {
  connectionId: string;
  /** Transactions for reading and storing its tokens. */
  transactions: Transactions;
  /** The current access token; null before the first call. */
  held: HeldToken | null;
}

/** The settings of a call, apart from the request itself. */
export interface GoogleCall<A extends GoogleApi = GoogleApi> {
  api: A;
  /** Its name in logs, metrics and spans, such as `events.list`. */
  operation: string;
  /**
   * Default: GET is a read, PUT, PATCH and DELETE are idempotent and can be retried, POST is a create and is never retried. A create with
   * an id of ours is `idempotent`.
   */
  effect?: ProviderCall["effect"];
  /** The key for limits, pauses and the circuit, such as a property with its own quota. Default: the connection. */
  about?: string;
  signal?: AbortSignal;
}

/** A call without a method in the library. */
export type PlainCall = GoogleCall & Pick<ProviderCall, "method" | "path" | "query" | "headers" | "json">;

/**
 * Prepares calls to Google as one person.
 * @param transactions a job passes its `run`; a request passes nothing and makes its calls in `prepare`
 */
export const googleAccess = (
  connection: Pick<WorkspaceConnectionRow, "id">,
  transactions: Transactions = inRequest,
): GoogleAccess => ({ connectionId: connection.id, transactions, held: null });

function effectOf(method: string, effect: ProviderCall["effect"]): ProviderCall["effect"] {
  if (effect !== undefined) return effect;
  return method === "GET" ? "read" : method === "POST" ? "create" : "idempotent";
}

/** The current access token, or a new one if it is about to expire. */
async function tokenOf(access: GoogleAccess, signal: AbortSignal | undefined): Promise<HeldToken> {
  if (!access.held || !isFresh(access.held)) access.held = await accessToken(access.transactions, access.connectionId, signal);
  return access.held;
}

/** Makes one call; after a 401 once more with a new access token. */
async function send(access: GoogleAccess, call: PlainCall & Pick<ProviderCall, "body">): Promise<ProviderAnswer> {
  const { api, effect, headers, signal, about, ...rest } = call;
  for (let isSecond = false; ; isSecond = true) {
    const held = await tokenOf(access, signal);
    const secrets = [held.token];
    const answer = await APIS[api].client
      .call({
        ...rest,
        account: about ?? access.connectionId,
        effect: effectOf(call.method ?? "GET", effect),
        headers: { ...headers, authorization: `Bearer ${held.token}` },
        secrets,
        ...(signal && { signal }),
      })
      .catch((error: unknown) => {
        throw error instanceof ProviderFailure ? GoogleFailure.of(error, secrets) : error;
      });
    if (answer.status < 400) return answer;
    // A 401 changed nothing, so even a create can be resent. Only the token endpoint tells whether the grant is dead.
    if (answer.status === 401 && !isSecond) {
      access.held = null;
      await forgetToken(access.transactions, access.connectionId, held);
      continue;
    }
    const retryAfter = retryAfterSeconds(answer.headers["retry-after"], Date.now());
    throw GoogleFailure.answered(answer.status, answer.text(), retryAfter, secrets);
  }
}

/**
 * Calls a Google API through the official library. The library builds the request; we send it, with our deadlines, retries and traces
 * (assets §5). The library's own retries never happen.
 * @param ask makes exactly one call of the given client
 * @returns the body of the response
 * @throws GoogleFailure
 * @throws UndeclaredAct for a write in an action that does not declare `acts: "outside"`
 */
export async function callGoogle<A extends LibraryApi, T>(
  access: GoogleAccess,
  call: GoogleCall<A>,
  ask: (client: LibraryClients[A]) => Promise<{ data: T }>,
): Promise<T> {
  const client = await libraryClient(call.api, async (options) => {
    const request = options as LibraryRequest;
    const answer = await send(access, { ...call, ...sentFrom(request, APIS[call.api].official) });
    try {
      return libraryAnswer(answer, request.responseType);
    } catch (error) {
      throw error instanceof ProviderFailure ? GoogleFailure.of(error, []) : error;
    }
  });
  return (await ask(client)).data;
}

/**
 * Makes a call without a method in the library, such as opening an upload session.
 * @returns the response with its headers, which may contain secrets and appear in no log or trace
 * @throws GoogleFailure
 */
export const callGooglePlainly = (access: GoogleAccess, call: PlainCall): Promise<ProviderAnswer> => send(access, call);
