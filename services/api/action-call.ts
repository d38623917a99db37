import type { IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger, ServiceBroker } from "moleculer";
import { runtime } from "../../core/config/runtime.ts";
import type { Action } from "../../core/declare/action.ts";
import type { Meta, Organisation, Principal } from "../../core/declare/principal.ts";
import { unauthorized } from "../../core/errors/errors.ts";
import type { Budget, RateLimiter } from "../../core/http/rate-limit.ts";
import type { HttpAnswer, HttpParams } from "../../core/request/context.ts";
import { spend } from "./http/answers.ts";
import { type Credential, requireSameOrigin, withoutGrant } from "./http/credentials.ts";
import type { Callers } from "./http/hosts.ts";
import { httpParams, userAgentOf } from "./http/input.ts";
import type { Declaration } from "./openapi/declaration.ts";
import { type CachedPrincipal, callerIn, type Principals } from "./principals.ts";
import type { FoundRoute } from "./routes.ts";
import type { StreamHolder } from "./streams/holder.ts";
import type { Trace } from "./trace.ts";
import type { UseStamps } from "./use-stamps.ts";
import type { WritePositions } from "./write-positions.ts";

/** How often a call begins again because the caller's access has changed. */
export const MOST_RELOADS = 3;

/** Pauses before retrying on another node, in milliseconds. */
const PAUSES = [50, 100, 200];

/** Dependencies of a call; `callers` works only after the server listens. */
export interface CallTools {
  broker: ServiceBroker;
  logger: Logger;
  principals: Principals;
  callers: () => Callers;
  readCredential: (request: IncomingMessage) => Credential | null;
  stamps: UseStamps;
}

/** What calls leave for later ones: the rate limits by key, those of attempts by address, and the last writes. */
export interface CallRecords {
  perKey: RateLimiter;
  attempts: Record<NonNullable<Action["limit"]>, RateLimiter>;
  /** Null without replicas of the database. */
  positions: WritePositions | null;
}

/** An action as the broker calls it: by name, or on the node that moleculer-web has chosen. */
type Callee = Parameters<ServiceBroker["call"]>[0];

/** One call of an action in an organisation: steps 1 to 5 of conventions §3.3, then the action. The steps run in the order of the methods. */
export class ActionCall {
  readonly #with: CallTools & CallRecords;
  readonly #request: IncomingMessage;
  readonly #trace: Trace;
  readonly #found: FoundRoute;
  readonly #query: URLSearchParams;
  readonly #host: string;
  readonly #slug: string | null;
  readonly #credential: Credential | null;
  readonly #presentsKey: boolean;
  #organisation!: Organisation;
  #known: CachedPrincipal | null = null;
  /** The metadata of the last call. */
  #meta!: Meta;
  #isAdmitted = false;
  #reloads = 0;
  #http: HttpParams | null = null;
  #budget: Budget | null | undefined;
  /** By the clock of `performance`, in milliseconds. */
  #deadline: number | undefined;

  constructor(tools: CallTools & CallRecords, request: IncomingMessage, trace: Trace, found: FoundRoute, query: URLSearchParams) {
    const { declaration } = found.route;
    const callers = tools.callers();
    const sent = tools.readCredential(request);
    const presented = concernsImpersonator(declaration) ? withoutGrant(sent) : sent;
    this.#with = tools;
    this.#request = request;
    this.#trace = trace;
    this.#found = found;
    this.#query = query;
    this.#host = callers.host(request);
    this.#slug = callers.slug(this.#host);
    this.#presentsKey = presented?.kind === "key";
    this.#credential = declaration.needs === "nothing" ? null : presented;
  }

  /** Step: the organisation by host, and the principal by credential; null for a caller without one. @throws 401, 403, 404 */
  async authenticate(): Promise<Principal | null> {
    const { whileSuspended } = this.#found.route.declaration;
    const { principals } = this.#with;
    const presented = [this.#credential, this.#presentsKey, whileSuspended] as const;
    const { organisation, known } = await principals.resolve(this.#host, this.#slug, ...presented);
    this.#isAdmitted = false;
    this.#trace.organisation = organisation.slug;
    this.#trace.caller = callerIn(known);
    this.#trace.organisationId = organisation.id;
    this.#organisation = organisation;
    this.#known = known;
    return known?.principal ?? null;
  }

  /**
   * Step: limits, sign-in and origin, before the body is read; for uploads also the action's permission, before a file is stored. The
   * action itself checks the permission of every other call.
   * @throws 401, 402, 403, 429
   */
  authorize(): Promise<void> {
    return this.#current(() => this.#admit());
  }

  /**
   * Step: the action's answer. Repeats a call whose principal has changed meanwhile, or whose node has gone.
   * @param endpoint the action on the node to try first
   */
  answer(endpoint?: object): Promise<HttpAnswer> {
    let callee = endpoint as unknown as Callee | undefined;
    return this.#current(async () => {
      if (!this.#isAdmitted) await this.#admit();
      const first = callee ?? this.#found.route.declaration.name;
      callee = undefined;
      return this.#with.positions ? this.#positioned(this.#with.positions, first) : this.#send(first);
    });
  }

  /** Step: what a successful call leaves: the use of the credential, and the recipient of a stream. */
  succeed(answer: HttpAnswer): HttpAnswer {
    if (this.#known)
      this.#with.stamps.note(this.#organisation, this.#known, this.#trace.headers, this.#credential?.value as string);
    if (answer.stream) this.#trace.holder = this.#holder();
    return answer;
  }

  /** Runs a step; when the caller's access has changed meanwhile, reloads the principal and runs it again. */
  async #current<T>(step: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await step();
      } catch (error) {
        if ((error as Error).name !== "StaleAccess" || this.#reloads === MOST_RELOADS) throw error;
        this.#reloads += 1;
        this.#with.principals.forget(this.#host, this.#organisation, this.#credential);
        await this.authenticate();
      }
    }
  }

  async #admit(): Promise<void> {
    const { declaration } = this.#found.route;
    const { limit } = declaration;
    const { attempts, perKey, principals, callers } = this.#with;
    if (limit) this.#budget ??= await attempts[limit].take(`${limit}:${this.#host}:${callers().address(this.#request)}`);
    if (this.#known && this.#presentsKey) this.#budget ??= await perKey.take(`key:${this.#known.principal.credential.id}`);
    try {
      this.#check(declaration);
    } catch (refused) {
      await principals.confirm(this.#organisation);
      throw refused;
    }
    this.#isAdmitted = true;
  }

  #check({ limit, needs, oauth }: Declaration): void {
    const { headers } = this.#trace;
    const budget = this.#budget;
    const known = this.#known;
    const { upload, admit } = this.#found.route;
    if (budget && limit) spend(budget, headers);
    if (needs !== "nothing" && !known) throw unauthorized();
    // Also without a session: a foreign page could sign the browser in as another person. Pages cannot send our keys.
    if (!this.#presentsKey && !oauth) requireSameOrigin(this.#request, this.#with.callers().origin(this.#host));
    if (budget && !limit) spend(budget, headers);
    if (!this.#http && upload) admit?.(known?.principal ?? null);
  }

  /** Sends a read with the position of the caller's last write, and answers a write with its own. */
  async #positioned(positions: WritePositions, first: Callee): Promise<HttpAnswer> {
    const principal = this.#known?.principal ?? null;
    if (this.#found.route.declaration.method === "GET") {
      this.#http ??= await this.#params();
      this.#http.$http.readsAfter = positions.before(this.#request, principal);
      return this.#send(first);
    }
    try {
      return await positions.after(await this.#send(first), principal);
    } catch (error) {
      positions.unknown(principal);
      throw error;
    }
  }

  #params(): Promise<HttpParams> {
    return httpParams(this.#request, this.#found, this.#query, this.#organisation.id);
  }

  /**
   * Calls the action within the rest of the request's time. A repeatable call whose node is gone goes to another node; a timed-out call is
   * not repeated, because the first run may still be working.
   */
  async #send(first: Callee): Promise<HttpAnswer> {
    const { name, timeout: most, method } = this.#found.route.declaration;
    this.#http ??= await this.#params();
    const http = this.#http;
    const deadline = (this.#deadline ??= performance.now() + (most ?? runtime().config.requestTimeout));
    // A refused upload's bytes are deleted, so its action cannot be retried.
    const isRepeatable = !this.#found.route.upload && (method === "GET" || http.$http.idempotency !== undefined);
    const meta = (this.#meta = this.#metaOf());
    const requestID = meta.requestId;
    for (let attempt = 0, callee = first; ; attempt++, callee = name) {
      const timeout = Math.max(1, Math.ceil(deadline - performance.now()));
      try {
        return await this.#with.broker.call<HttpAnswer, HttpParams>(callee, http, { meta, timeout, requestID });
      } catch (error) {
        const pause = PAUSES[attempt];
        if (!isRepeatable || !isNodeGone(error) || pause === undefined || performance.now() + pause >= deadline) throw error;
        this.#with.logger.warn(
          { event: "api.call_repeated", requestId: requestID, action: name, error: (error as Error).name },
          "the call is repeated",
        );
        await delay(pause);
      }
    }
  }

  #metaOf(): Meta {
    const callers = this.#with.callers();
    return {
      organisation: this.#organisation,
      principal: this.#known?.principal ?? null,
      requestId: this.#trace.requestId,
      host: this.#host,
      address: callers.address(this.#request),
      origin: callers.origin(this.#host),
      userAgent: userAgentOf(this.#request),
    };
  }

  /** The recipient of the stream, with the function that re-checks their access. */
  #holder(): StreamHolder {
    const { principals } = this.#with;
    const { declaration, admit } = this.#found.route;
    const [host, slug, credential, presentsKey] = [this.#host, this.#slug, this.#credential, this.#presentsKey];
    const meta = this.#meta;
    const holder = {
      host,
      slug,
      events: declaration.streams ?? {},
      meta,
      expiresAt: this.#known?.expiresAt ?? null,
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
}

/** Whether a call failed because no node could serve it, so a retry may succeed. A timeout does not prove that. */
const isNodeGone = (error: unknown): boolean =>
  (error as { retryable?: boolean }).retryable === true && (error as Error).name !== "RequestTimeoutError";

/** Whether an action concerns the signed-in person even while they impersonate a client login (access §11.4). */
const concernsImpersonator = ({ asImpersonator, open, needs }: Declaration): boolean =>
  asImpersonator === true || (open !== undefined && (needs === "session" || needs === "administrator"));
