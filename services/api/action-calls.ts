import type { IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger, ServiceBroker } from "moleculer";
import { runtime } from "../../core/config/runtime.ts";
import type { Action } from "../../core/declare/action.ts";
import type { Meta, Principal } from "../../core/declare/principal.ts";
import { unauthorized } from "../../core/errors/errors.ts";
import { type Budget, RateLimiter } from "../../core/http/rate-limit.ts";
import type { HttpAnswer, HttpParams } from "../../core/request/context.ts";
import { describe, type Headers, spend } from "./http/answers.ts";
import { type Credential, requireSameOrigin, withoutGrant } from "./http/credentials.ts";
import type { Callers } from "./http/hosts.ts";
import { httpParams, untenantedCall } from "./http/input.ts";
import { readiness } from "./http/readiness.ts";
import { CallerGone } from "./http/receiving.ts";
import type { Declaration } from "./openapi/declaration.ts";
import type { CachedPrincipal, Principals } from "./principals.ts";
import type { Found } from "./routes.ts";
import type { StreamHolder } from "./streams/holder.ts";
import type { UseStamps } from "./use-stamps.ts";

const MOST_RELOADS = 4;

/** Pauses before retrying on another node, in milliseconds. */
const PAUSES = [50, 100, 200];

/** What the gateway records about a request while serving it: log fields and the headers of the answer. */
export interface Trace {
  requestId: string;
  /** The path as logged: without the token of a public address. */
  path: string;
  organisation: string | null;
  headers: Headers;
  /** Name of the action, once the router has found it. */
  action?: string;
  /** How the matched route formats OAuth refusals. */
  oauth?: Action["oauth"];
  /** The recipient of the stream, if the answer is a stream. */
  holder?: StreamHolder;
}

/** Dependencies of `ActionCalls`; `callers` works only after the server listens. */
interface CallTools {
  broker: ServiceBroker;
  logger: Logger;
  principals: Principals;
  callers: () => Callers;
  readCredential: (request: IncomingMessage) => Credential | null;
  stamps: UseStamps;
}

/** The host a request addresses and the credential it presents. */
interface Presented {
  host: string;
  slug: string | null;
  credential: Credential | null;
  presentsKey: boolean;
}

/** Takes a matched route to its action's answer: resolves the caller, checks access, calls the action. */
export class ActionCalls {
  readonly #with: CallTools;
  readonly #perKey: RateLimiter;
  readonly #attempts: Record<NonNullable<Action["limit"]>, RateLimiter>;

  constructor(tools: CallTools) {
    const { config } = runtime();
    this.#with = tools;
    const failed = (error: unknown) =>
      tools.logger.error({ event: "api.rate_limit_failed", error: describe(error) }, "the rate limit store failed");
    this.#perKey = new RateLimiter(config.rateLimitPerKey, failed);
    this.#attempts = {
      "sign-in": new RateLimiter(config.rateLimitSignIn, failed),
      account: new RateLimiter(config.rateLimitAccount, failed),
      "client-registration": new RateLimiter(config.rateLimitClientRegistration, failed),
    };
  }

  /** Runs steps 1 to 5 of conventions §3.3, then the action; reloads the principal and retries when access has changed. */
  async serve(request: IncomingMessage, trace: Trace, found: Found, query: URLSearchParams): Promise<HttpAnswer> {
    const { declaration } = found.route;
    const { requestId, headers } = trace;
    const { principals, readCredential, stamps } = this.#with;
    const callers = this.#with.callers();
    const host = callers.host(request);
    const address = callers.address(request);
    const origin = callers.origin(host);
    const { limit } = declaration;
    const presented = concernsImpersonator(declaration) ? withoutGrant(readCredential(request)) : readCredential(request);
    const presentsKey = presented?.kind === "key";
    const credential = declaration.needs === "nothing" ? null : presented;
    const { upload, admit } = found.route;
    const slug = callers.slug(host);
    // Identify the sender before reading a body, and authorise them before storing a file.
    let http: HttpParams | null = null;
    let budget: Budget | null | undefined;
    let deadline: number | undefined;

    for (let reload = 1; ; reload++) {
      const { organisation, known } = await principals.resolve(host, slug, credential, presentsKey, declaration.whileSuspended);
      trace.organisation = organisation.slug;
      if (limit) budget ??= await this.#attempts[limit].take(`${limit}:${host}:${address}`);
      if (known && presentsKey) budget ??= await this.#perKey.take(`key:${known.principal.credential.id}`);
      const meta: Meta = {
        organisation,
        principal: known?.principal ?? null,
        requestId,
        host,
        address,
        origin,
        userAgent: request.headers["user-agent"]?.slice(0, 512) ?? null,
      };
      try {
        const refused = thrownBy(() => {
          if (budget && limit) spend(budget, headers);
          if (declaration.needs !== "nothing" && !known) throw unauthorized();
          // Also without a session: a foreign page could sign the browser in as another person. Pages cannot send our keys.
          if (!presentsKey && !declaration.oauth) requireSameOrigin(request, origin);
          if (budget && !limit) spend(budget, headers);
          if (!http && upload) admit?.(known?.principal ?? null);
        });
        if (refused) {
          await principals.confirm(organisation);
          throw refused;
        }
        http ??= await httpParams(request, found, query, organisation.id);
        deadline ??= performance.now() + (declaration.timeout ?? runtime().config.requestTimeout);
        // A refused upload's bytes are deleted, so its action cannot be retried.
        const isRepeatable = !upload && (declaration.method === "GET" || http.$http.idempotency !== undefined);
        const answer = await this.#call(declaration.name, http, meta, { deadline, isRepeatable });
        if (known) stamps.note(organisation, known, headers, credential?.value as string);
        if (answer.stream) trace.holder = this.#holder(found, { host, slug, credential, presentsKey }, meta, known);
        return answer;
      } catch (error) {
        if ((error as Error).name !== "StaleAccess" || reload === MOST_RELOADS) throw error;
        principals.forget(host, organisation, credential);
      }
    }
  }

  /**
   * Calls an action within the rest of the request's time. A repeatable call whose node is gone goes to another node; a timed-out call is
   * not repeated, because the first run may still be working.
   * @param deadline by the clock of `performance`, in milliseconds
   */
  async #call(
    name: string,
    http: HttpParams,
    meta: Meta,
    { deadline, isRepeatable }: { deadline: number; isRepeatable: boolean },
  ): Promise<HttpAnswer> {
    for (let attempt = 0; ; attempt++) {
      const timeout = Math.max(1, Math.ceil(deadline - performance.now()));
      try {
        return await this.#with.broker.call<HttpAnswer, HttpParams>(name, http, { meta, timeout, requestID: meta.requestId });
      } catch (error) {
        const pause = PAUSES[attempt];
        if (!isRepeatable || !isNodeGone(error) || pause === undefined || performance.now() + pause >= deadline) throw error;
        this.#with.logger.warn(
          { event: "api.call_repeated", requestId: meta.requestId, action: name, error: (error as Error).name },
          "the call is repeated",
        );
        await delay(pause);
      }
    }
  }

  /**
   * Authenticates the caller of a key-only endpoint that is not an action.
   * @param counts true counts the call and confirms the caller is current; false leaves both to the action call that follows
   * @throws 401 without a valid key, 429, and errors about the host
   */
  async keyHolder(request: IncomingMessage, trace: Trace, counts: boolean): Promise<Principal> {
    const { principals, readCredential, stamps } = this.#with;
    const callers = this.#with.callers();
    const host = callers.host(request);
    const slug = callers.slug(host);
    const presented = readCredential(request);
    const credential = presented?.kind === "key" ? presented : null;
    for (let reload = 1; ; reload++) {
      const { organisation, known } = await principals.resolve(host, slug, credential, credential !== null);
      trace.organisation = organisation.slug;
      try {
        if (counts || !known) await principals.confirm(organisation);
        if (!known) throw unauthorized();
        if (!counts) return known.principal;
        const budget = await this.#perKey.take(`key:${known.principal.credential.id}`);
        if (budget) spend(budget, trace.headers);
        stamps.note(organisation, known, trace.headers, credential?.value as string);
        return known.principal;
      } catch (error) {
        if ((error as Error).name !== "StaleAccess" || reload === MOST_RELOADS) throw error;
        principals.forget(host, organisation, credential);
      }
    }
  }

  /** The recipient of a stream, with the function that re-checks their access. */
  #holder({ route }: Found, as: Presented, meta: Meta, known: CachedPrincipal | null): StreamHolder {
    const { principals } = this.#with;
    const { declaration, admit } = route;
    const { host, slug, credential, presentsKey } = as;
    const holder = {
      host,
      slug,
      events: declaration.streams ?? {},
      meta,
      expiresAt: known?.expiresAt ?? null,
      async renew() {
        const found = await principals.resolve(host, slug, credential, presentsKey, declaration.whileSuspended);
        const principal = found.known?.principal ?? null;
        // When an impersonation ends, the member must not keep receiving the client's stream as themselves.
        if (principal?.accountId !== meta.principal?.accountId) throw unauthorized();
        admit?.(principal);
        holder.meta = { ...holder.meta, organisation: found.organisation, principal };
        holder.expiresAt = found.known?.expiresAt ?? null;
      },
    };
    return holder;
  }

  /** Returns the unchanged answer of an action without an organisation (`untenanted`). */
  async plain(request: IncomingMessage, found: Found): Promise<HttpAnswer> {
    const call = await untenantedCall(request, found);
    const { status, body } = await this.#with.broker.call<{ status: number; body?: object }, object>(
      found.route.declaration.name,
      call,
    );
    return { status, headers: {}, body: body === undefined ? null : JSON.stringify(body) };
  }

  /** Answers a probe within half a second, with 503 where the actors do not answer. */
  async ready(request: IncomingMessage, found: Found): Promise<HttpAnswer> {
    const call = await untenantedCall(request, found);
    const { status, body } = await readiness(this.#with.broker, found.route.declaration.name, call);
    return { status, headers: {}, body: JSON.stringify(body) };
  }

  /** Answers without a body, even on failure: its caller reads only the status and retries later. */
  async bare(request: IncomingMessage, found: Found, { requestId }: Trace): Promise<HttpAnswer> {
    try {
      return await this.plain(request, found);
    } catch (error) {
      if (error instanceof CallerGone) throw error;
      const { name } = found.route.declaration;
      this.#with.logger.error(
        { event: "api.callback_failed", requestId, organisation: null, error: describe(error) },
        `${name} failed`,
      );
      return { status: 503, headers: { "Retry-After": "5" }, body: null };
    }
  }
}

/** Whether a call failed because no node could serve it, so a retry may succeed. A timeout does not prove that. */
const isNodeGone = (error: unknown): boolean =>
  (error as { retryable?: boolean }).retryable === true && (error as Error).name !== "RequestTimeoutError";

/** Whether an action concerns the signed-in person even while they impersonate a client login (access §11.4). */
const concernsImpersonator = ({ asImpersonator, open, needs }: Declaration): boolean =>
  asImpersonator === true || (open !== undefined && (needs === "session" || needs === "administrator"));

function thrownBy(checks: () => void): unknown {
  try {
    checks();
    return null;
  } catch (error) {
    return error;
  }
}
