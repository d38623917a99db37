import type { IncomingMessage } from "node:http";
import { runtime } from "../../core/config/runtime.ts";
import type { Organisation, Principal } from "../../core/declare/principal.ts";
import { unauthorized } from "../../core/errors/errors.ts";
import { RateLimiter } from "../../core/http/rate-limit.ts";
import type { HttpAnswer } from "../../core/request/context.ts";
import { ActionCall, type CallRecords, type CallTools, MOST_RELOADS } from "./action-call.ts";
import { describe, spend } from "./http/answers.ts";
import { untenantedCall } from "./http/input.ts";
import { readiness } from "./http/readiness.ts";
import { callerIn } from "./principals.ts";
import type { FoundRoute } from "./routes.ts";
import type { Trace } from "./trace.ts";
import { WritePositions } from "./write-positions.ts";

/** The caller of an endpoint that takes keys alone. */
export interface KeyHolder {
  organisation: Organisation;
  principal: Principal;
}

/** Takes matched routes to their actions' answers. */
export class ActionCalls {
  readonly #with: CallTools & CallRecords;

  constructor(tools: CallTools) {
    const { config } = runtime();
    const failed = (error: unknown) =>
      tools.logger.error({ event: "api.rate_limit_failed", error: describe(error) }, "the rate limit store failed");
    const attempts = {
      "sign-in": new RateLimiter(config.rateLimitSignIn, failed),
      account: new RateLimiter(config.rateLimitAccount, failed),
      "client-registration": new RateLimiter(config.rateLimitClientRegistration, failed),
    };
    const perKey = new RateLimiter(config.rateLimitPerKey, failed);
    this.#with = { ...tools, perKey, attempts, positions: config.databaseReadUrls ? new WritePositions() : null };
  }

  /** Begins a call of an action in an organisation, whose steps the caller runs. */
  begin(request: IncomingMessage, trace: Trace, found: FoundRoute, query: URLSearchParams): ActionCall {
    return new ActionCall(this.#with, request, trace, found, query);
  }

  /** Runs all steps of a call, for pages and tools, which moleculer-web's hooks do not see. */
  async serve(request: IncomingMessage, trace: Trace, found: FoundRoute, query: URLSearchParams): Promise<HttpAnswer> {
    const call = this.begin(request, trace, found, query);
    await call.authenticate();
    await call.authorize();
    return call.succeed(await call.answer());
  }

  /**
   * Authenticates the caller of a key-only endpoint that is not an action.
   * @param counts true counts the call and confirms the caller is current; false leaves both to the action call that follows
   * @throws 401 without a valid key, 429, and errors about the host
   */
  async keyHolder(request: IncomingMessage, trace: Trace, counts: boolean): Promise<KeyHolder> {
    const { principals, readCredential, stamps } = this.#with;
    const callers = this.#with.callers();
    const host = callers.host(request);
    const slug = callers.slug(host);
    const presented = readCredential(request);
    const credential = presented?.kind === "key" ? presented : null;
    for (let reload = 0; ; reload++) {
      const { organisation, known } = await principals.resolve(host, slug, credential, credential !== null);
      trace.organisation = organisation.slug;
      trace.caller = callerIn(known);
      trace.organisationId = organisation.id;
      try {
        if (counts || !known) await principals.confirm(organisation);
        if (!known) throw unauthorized();
        const holder = { organisation, principal: known.principal };
        if (!counts) return holder;
        const budget = await this.#with.perKey.take(`key:${known.principal.credential.id}`);
        if (budget) spend(budget, trace.headers);
        stamps.note(organisation, known, trace.headers, credential?.value as string);
        return holder;
      } catch (error) {
        if ((error as Error).name !== "StaleAccess" || reload === MOST_RELOADS) throw error;
        principals.forget(host, organisation, credential);
      }
    }
  }

  /** Returns the unchanged answer of an action without an organisation (`untenanted`). */
  async plain(request: IncomingMessage, found: FoundRoute): Promise<HttpAnswer> {
    const call = await untenantedCall(request, found);
    const { status, body } = await this.#with.broker.call<{ status: number; body?: object }, object>(
      found.route.declaration.name,
      call,
    );
    return { status, headers: {}, body: body === undefined ? null : JSON.stringify(body) };
  }

  /** Answers a probe within half a second, with 503 where the actors do not answer. */
  async ready(request: IncomingMessage, found: FoundRoute): Promise<HttpAnswer> {
    const call = await untenantedCall(request, found);
    const { status, body } = await readiness(this.#with.broker, found.route.declaration.name, call);
    return { status, headers: {}, body: JSON.stringify(body) };
  }
}
