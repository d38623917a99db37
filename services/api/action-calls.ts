import type { IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger, ServiceBroker } from "moleculer";
import { runtime } from "../../core/config/runtime.ts";
import type { Action } from "../../core/declare/action.ts";
import { unauthorized } from "../../core/declare/errors.ts";
import { type Budget, RateLimiter } from "../../core/http/rate-limit.ts";
import type { HttpAnswer, HttpParams, Meta, Principal } from "../../core/request/context.ts";
import { describe, type Headers, spend } from "./http/answers.ts";
import { type Credential, requireSameOrigin, withoutGrant } from "./http/credentials.ts";
import type { Callers } from "./http/hosts.ts";
import { httpParams, untenantedCall } from "./http/input.ts";
import { CallerGone } from "./http/receiving.ts";
import type { Declaration } from "./openapi/declaration.ts";
import type { Known, Principals } from "./principals.ts";
import type { Found } from "./routes.ts";
import type { StreamHolder } from "./streams/holder.ts";
import type { UseStamps } from "./use-stamps.ts";

const MOST_RELOADS = 4;

/** Pauses before a call goes to another node because the one that had it is gone, in milliseconds. */
const PAUSES = [50, 100, 200];

/** What is known of a request while it is served: its name in the log, and the headers its answer will have. */
export interface Trace {
  requestId: string;
  /** The path as the log may have it: without the token of a public address. */
  path: string;
  organisation: string | null;
  headers: Headers;
  /** Name of the action that serves it, once its route is found. */
  action?: string;
  /** What the route that was found says of its refusals. */
  oauth?: Action["oauth"];
  /** Who is sent the stream, where the answer is one. */
  holder?: StreamHolder;
}

/** What calls of actions are made with; `callers` once the server listens. */
interface CallTools {
  broker: ServiceBroker;
  logger: Logger;
  principals: Principals;
  callers: () => Callers;
  readCredential: (request: IncomingMessage) => Credential | null;
  stamps: UseStamps;
}

/** How a request came: the host it asked and what it presented. */
interface Presented {
  host: string;
  slug: string | null;
  credential: Credential | null;
  presentsKey: boolean;
}

/** From a route that was found to the answer of its action: who calls, whether that may be, and the call itself. */
export class ActionCalls {
  readonly #with: CallTools;
  readonly #perKey: RateLimiter;
  readonly #attempts: Record<NonNullable<Action["limit"]>, RateLimiter>;

  constructor(tools: CallTools) {
    const { config } = runtime();
    this.#with = tools;
    const failed = (error: unknown) => tools.logger.error({ error: describe(error) }, "the rate limit store failed");
    this.#perKey = new RateLimiter(config.rateLimitPerKey, failed);
    this.#attempts = {
      "sign-in": new RateLimiter(config.rateLimitSignIn, failed),
      account: new RateLimiter(config.rateLimitAccount, failed),
      "client-registration": new RateLimiter(config.rateLimitClientRegistration, failed),
    };
  }

  /** Steps 1 to 5 of conventions §3.3, then the action; repeated with a fresh principal when access has moved on. */
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
    // A body is not awaited, and a file not taken in, before its sender is known and may send it.
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
          // Also where no cookie is needed: a foreign page could sign a browser in as another person. No page can send our keys.
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
        // The bytes of an upload are removed when its action refuses them, so it is not asked a second time.
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
   * Calls an action within what is left of the request's time. A repeatable call whose node is gone goes to another node; one that takes too
   * long is not repeated, for the first run still works on it.
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
        this.#with.logger.warn({ requestId: meta.requestId, action: name, error: (error as Error).name }, "the call is repeated");
        await delay(pause);
      }
    }
  }

  /**
   * Who asks for something beside the actions that is there for keys alone.
   * @param counts whether it is a call by itself, which is counted and whose caller is proved current; else the call that follows does both
   * @throws 401 without a good key, 429, and what concerns the host
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

  /** Who is sent a stream, and how that caller is looked at again. */
  #holder({ route }: Found, as: Presented, meta: Meta, known: Known | null): StreamHolder {
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
        // A member who looked into a client's login is not sent, as themselves, what the client was.
        if (principal?.accountId !== meta.principal?.accountId) throw unauthorized();
        admit?.(principal);
        holder.meta = { ...holder.meta, organisation: found.organisation, principal };
        holder.expiresAt = found.known?.expiresAt ?? null;
      },
    };
    return holder;
  }

  /** An action without an organisation (`untenanted`): its answer as it is. */
  async plain(request: IncomingMessage, found: Found): Promise<HttpAnswer> {
    const call = await untenantedCall(request, found);
    const { status, body } = await this.#with.broker.call<{ status: number; body?: object }, object>(
      found.route.declaration.name,
      call,
    );
    return { status, headers: {}, body: body === undefined ? null : JSON.stringify(body) };
  }

  /** An answer without a body, whatever goes wrong: who calls back understands the status alone, and tries again later. */
  async bare(request: IncomingMessage, found: Found, { requestId }: Trace): Promise<HttpAnswer> {
    try {
      return await this.plain(request, found);
    } catch (error) {
      if (error instanceof CallerGone) throw error;
      const { name } = found.route.declaration;
      this.#with.logger.error({ requestId, organisation: null, error: describe(error) }, `${name} failed`);
      return { status: 503, headers: { "Retry-After": "5" }, body: null };
    }
  }
}

/** Whether a call failed because no node could serve it, so that another try may find one. A time-out says nothing of the kind. */
const isNodeGone = (error: unknown): boolean =>
  (error as { retryable?: boolean }).retryable === true && (error as Error).name !== "RequestTimeoutError";

/** Whether an action is about the person who signed in, also while that person looks into a client's login (access §11.4). */
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
