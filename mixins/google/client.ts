import type { ProviderAnswer, ProviderCall } from "../../core/outbound/provider/provider.ts";
import { ProviderFailure } from "../../core/outbound/provider/provider.ts";
import { retryAfterSeconds } from "../../core/outbound/provider/retry.ts";
import { APIS, type GoogleApi, type LibraryApi, type LibraryClients, libraryClient } from "./apis.ts";
import { GoogleFailure } from "./failure.ts";
import type { WorkspaceConnectionRow } from "./models.ts";
import { accessToken, forgetToken, type HeldToken, isFresh } from "./tokens.ts";
import { inRequest, type Transactions } from "./transactions.ts";
import { type LibraryRequest, libraryAnswer, sentFrom } from "./transport.ts";

/** One person's grant, for the calls of one request or one run of a job. */
export interface GoogleAccess {
  connectionId: string;
  /** How its tokens are read and kept. */
  transactions: Transactions;
  /** The access token in use; null before the first call. */
  held: HeldToken | null;
}

/** What is said of a call beside what it asks. */
export interface GoogleCall<A extends GoogleApi = GoogleApi> {
  api: A;
  /** Its name in logs, metrics and spans, such as `events.list`. */
  operation: string;
  /**
   * Default: GET reads, PUT, PATCH and DELETE may be repeated, POST creates and is never repeated. A create under an id of ours is
   * `idempotent`.
   */
  effect?: ProviderCall["effect"];
  /**
   * What limits, pauses and the circuit count by, such as a property whose quota is its own. Default: the connection.
   */
  about?: string;
  signal?: AbortSignal;
}

/** A call that the library knows no method for. */
export type PlainCall = GoogleCall & Pick<ProviderCall, "method" | "path" | "query" | "headers" | "json">;

/**
 * Opens the way to Google as one person.
 * @param transactions a job hands over its `run`; inside a request nothing is handed over, and calls are made in `prepare`
 */
export const googleAccess = (
  connection: Pick<WorkspaceConnectionRow, "id">,
  transactions: Transactions = inRequest,
): GoogleAccess => ({ connectionId: connection.id, transactions, held: null });

function effectOf(method: string, effect: ProviderCall["effect"]): ProviderCall["effect"] {
  if (effect !== undefined) return effect;
  return method === "GET" ? "read" : method === "POST" ? "create" : "idempotent";
}

/** The access token that is in use, or another one where that expires. */
async function tokenOf(access: GoogleAccess, signal: AbortSignal | undefined): Promise<HeldToken> {
  if (!access.held || !isFresh(access.held)) access.held = await accessToken(access.transactions, access.connectionId, signal);
  return access.held;
}

/** Makes one call with the access token; once more with another token where Google does not know this one any longer. */
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
    // A 401 did nothing, so that a create may be sent again. Whether the grant is dead only the token endpoint says.
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
 * Calls an API of Google by the official library, which builds the request; we send it, with our deadlines, retries and traces
 * (assets §5). The library's own repeats never happen.
 * @param ask makes exactly one call of the client it is given
 * @returns the body of the answer
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
 * Makes a call that the library knows no method for, such as the opening of an upload session.
 * @returns the answer with its headers, which may hold secrets: they are in no log or trace
 * @throws GoogleFailure
 */
export const callGooglePlainly = (access: GoogleAccess, call: PlainCall): Promise<ProviderAnswer> => send(access, call);
