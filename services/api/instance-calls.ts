import type { IncomingMessage } from "node:http";
import type { Logger, ServiceBroker } from "moleculer";
import { runtime } from "../../core/config/runtime.ts";
import { ADMINISTRATION, type InstanceCaller, type InstanceCredential, type InstanceMeta } from "../../core/declare/instance.ts";
import { type Budget, RateLimiter } from "../../core/http/rate-limit.ts";
import type { HttpAnswer } from "../../core/request/context.ts";
import { digest } from "../../core/security/crypto.ts";
import { describe, spend } from "./http/answers.ts";
import { type Credential, requireSameOrigin } from "./http/credentials.ts";
import type { Callers } from "./http/hosts.ts";
import { httpParams, userAgentOf } from "./http/input.ts";
import type { FoundRoute } from "./routes.ts";
import type { Trace } from "./trace.ts";

interface InstanceTools {
  broker: ServiceBroker;
  logger: Logger;
  callers(): Callers;
  readCredential(request: IncomingMessage): Credential | null;
}

/** A credential without its secret, as the actor compares it. */
function digested(credential: Credential | null): InstanceCredential | null {
  if (credential === null) return null;
  if (credential.kind === "session") return { kind: "session", digest: digest(credential.value).toString("hex") };
  return { kind: "key", lookup: credential.lookup, digest: digest(credential.secret).toString("hex") };
}

/** Calls on the host of the instance administrators, `admin.<base domain>`: their sign-in and their keys are its own. */
export class InstanceCalls {
  readonly #with: InstanceTools;
  readonly #host = `${ADMINISTRATION}.${runtime().config.baseDomain}`;
  readonly #signIns: RateLimiter;
  readonly #perKey: RateLimiter;

  constructor(tools: InstanceTools) {
    const { config } = runtime();
    const failed = (error: unknown) =>
      tools.logger.error({ event: "api.rate_limit_failed", error: describe(error) }, "the rate limit store failed");
    this.#with = tools;
    this.#signIns = new RateLimiter(config.rateLimitSignIn, failed);
    this.#perKey = new RateLimiter(config.rateLimitPerKey, failed);
  }

  /** Whether a request came to the host of the instance administrators. */
  isHost(request: IncomingMessage): boolean {
    return this.#with.callers().host(request) === this.#host;
  }

  /** The answer of an instance action, which itself checks who calls. @throws 403 for a cross-site write, 429 */
  async serve(request: IncomingMessage, trace: Trace, found: FoundRoute, query: URLSearchParams): Promise<HttpAnswer> {
    const { declaration } = found.route;
    const { broker, callers } = this.#with;
    const credential = this.#with.readCredential(request);
    const budget = await this.#budget(declaration.limit !== undefined, callers().address(request), credential);
    if (budget) spend(budget, trace.headers);
    if (credential?.kind !== "key") requireSameOrigin(request, callers().origin(this.#host));
    const http = await httpParams(request, found, query);
    const timeout = declaration.timeout ?? runtime().config.requestTimeout;
    const meta = { instance: this.#metaOf(request, trace.requestId, credential) };
    return broker.call<HttpAnswer, object>(declaration.name, http, { meta, timeout, requestID: trace.requestId });
  }

  /**
   * Who calls, for what the host serves outside the API: the administrator, and what the credential allows now. Null for an invalid or no
   * credential, and on any other host.
   * @throws 403 for a write that another site's page sends, 503 while no node works as the owner of the tables
   */
  async caller(request: IncomingMessage, requestId: string): Promise<InstanceCaller | null> {
    const { broker, callers, readCredential } = this.#with;
    const credential = readCredential(request);
    if (!this.isHost(request) || credential === null) return null;
    if (credential.kind !== "key") requireSameOrigin(request, callers().origin(this.#host));
    const meta = { instance: this.#metaOf(request, requestId, credential) };
    return broker.call<InstanceCaller | null, object>("instance.callers.identify", {}, { meta, requestID: requestId });
  }

  /**
   * Writes what an operator did outside the API in the operators' audit.
   * @param detail facts of the act
   * @param superuser whose session the gateway has checked on an organisation's host; otherwise the request's instance administrator acted
   */
  async record(
    request: IncomingMessage,
    requestId: string,
    act: string,
    detail: Record<string, unknown>,
    superuser?: { accountId: string; host: string },
  ): Promise<void> {
    const { broker, logger, readCredential } = this.#with;
    const meta = { instance: this.#metaOf(request, requestId, superuser ? null : readCredential(request)) };
    const recorded = broker.call("instance.callers.record", { act, detail, superuser }, { meta, requestID: requestId });
    await recorded.catch((error: unknown) => {
      // What is done is done: where no node works as the owner of the tables, the log alone has it.
      if (!superuser) throw error;
      logger.error(
        { event: "api.act_not_audited", act, detail, superuser, error: describe(error) },
        "an act is not in the audit",
      );
    });
  }

  #budget(isSignIn: boolean, address: string, credential: Credential | null): Promise<Budget | null> | null {
    if (isSignIn) return this.#signIns.take(`instance sign-in:${address}`);
    return credential?.kind === "key" ? this.#perKey.take(`instance key:${credential.lookup}`) : null;
  }

  #metaOf(request: IncomingMessage, requestId: string, credential: Credential | null): InstanceMeta {
    return {
      requestId,
      address: this.#with.callers().address(request),
      userAgent: userAgentOf(request),
      credential: digested(credential),
    };
  }
}
