import type { IncomingMessage } from "node:http";
import type { CallToolResult, Prompt, Resource, ResourceTemplateType, Tool } from "@modelcontextprotocol/server";
import type { Logger } from "moleculer";
import { todayIn, zoneOr } from "../../../core/calendar/calendar.ts";
import { DEFAULT_ZONE } from "../../../core/config/defaults.ts";
import type { Organisation, Principal } from "../../../core/declare/principal.ts";
import { type ApiError, invalid, refusal } from "../../../core/errors/errors.ts";
import type { HttpAnswer } from "../../../core/request/context.ts";
import type { ActionCalls } from "../action-calls.ts";
import { asApiError, describe } from "../http/answers.ts";
import type { Routes } from "../routes.ts";
import type { Trace } from "../trace.ts";
import { askedOf, requestOf, type ToolRequest } from "./arguments.ts";
import { questionOf } from "./confirm.ts";
import { withDefaults } from "./defaults.ts";
import type { Operation } from "./operations.ts";
import { promptsOf, promptText } from "./prompts.ts";
import { resourceRequest, resourcesOf, templatesOf } from "./resources.ts";
import { envelopeOf, ownResult, refusedResult, resultOf } from "./results.ts";
import type { ServedPath } from "./served-paths.ts";
import { type Called, SEARCH, type Search, type ToolCatalogue } from "./tool-catalogue.ts";

/** An MCP request in progress. */
export interface Visit {
  request: IncomingMessage;
  trace: Trace;
  served: ServedPath;
  organisation: Organisation;
  principal: Principal;
  catalogue: ToolCatalogue;
  /** Whether it counts against its key's limit already. */
  isCounted: boolean;
  /** Why its credential is no longer valid, once a call has found out. */
  refused: unknown;
}

/** Headers of a call's answer that concern the caller, passed on to it. */
const ABOUT_CALLER = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"] as const;

/** A refusal that the protocol tells as an error of the message: a short sentence, and the HTTP envelope. */
export interface MessageRefusal {
  message: string;
  data: object;
}

interface OfferParts {
  logger: Logger;
  calls: ActionCalls;
  routing: Routes;
  /** Adds to a 401 where to get a token. */
  challenged(error: unknown): unknown;
}

/** What one caller is offered at one path: tools, resources and prompts, each a call of the API with the caller's key. */
export class Offer {
  readonly #parts: OfferParts;
  readonly #visit: Visit;

  constructor(parts: OfferParts, visit: Visit) {
    this.#parts = parts;
    this.#visit = visit;
  }

  tools(): Tool[] {
    return this.#visit.catalogue.list(this.#visit.principal);
  }

  has(name: string): boolean {
    return this.#visit.catalogue.has(name);
  }

  /** The question to the person before a call of what leaves the organisation; null for any other call, and for one that is refused anyway. */
  question(name: string, given: Readonly<Record<string, unknown>> = {}): string | null {
    const { catalogue, principal } = this.#visit;
    const called = catalogue.called(name, given);
    return called?.operation.admits(principal) ? questionOf(called.operation, called.given) : null;
  }

  /** The result of a tool; a refusal is a result too. */
  async call(name: string, given: Readonly<Record<string, unknown>> = {}): Promise<CallToolResult> {
    const { catalogue, principal } = this.#visit;
    try {
      if (name === SEARCH) return ownResult(catalogue.search(principal, searchOf(given)));
      const called = catalogue.called(name, given);
      if (!called) throw catalogue.fault(principal, given);
      return resultOf(await this.#run(called.operation, this.#asked(called)));
    } catch (error) {
      return refusedResult(this.#known(error));
    }
  }

  resources(): Resource[] {
    return resourcesOf(this.#admitted());
  }

  templates(): ResourceTemplateType[] {
    return templatesOf(this.#admitted());
  }

  /** The text of a resource as JSON, or why it is refused. */
  async read(uri: string): Promise<string | MessageRefusal> {
    try {
      const asked = resourceRequest(this.#parts.routing, uri);
      const operation = asked && this.#visit.catalogue.ofRoute(asked.found.route);
      if (!asked || !operation) throw refusal("not_found", "errors.not_found", { fields: { uri: "errors.not_found" } });
      return (await this.#run(operation, asked)).body ?? "null";
    } catch (error) {
      const known = this.#known(error);
      return { message: known.message, data: envelopeOf(known) };
    }
  }

  prompts(): Prompt[] {
    return promptsOf(this.#roads());
  }

  /** The text of a prompt, or why it is refused. */
  prompt(name: string, given: Readonly<Record<string, string>> = {}): string | MessageRefusal {
    try {
      return promptText(this.#roads(), name, given);
    } catch (error) {
      const known = this.#known(error);
      return { message: known.message, data: envelopeOf(known) };
    }
  }

  #admitted(): Operation[] {
    const { catalogue, principal } = this.#visit;
    return [...catalogue.operations.values()].filter((one) => one.admits(principal));
  }

  #roads(): Map<string, string> {
    return new Map(this.#admitted().map(({ id, route }) => [String(route.declaration.rest), id]));
  }

  #asked({ operation, given, sets, defaults }: Called): ToolRequest {
    const zone = zoneOr(this.#visit.organisation.timezone, DEFAULT_ZONE);
    const now = new Date();
    return askedOf(
      operation,
      withDefaults(defaults, given, { now, today: todayIn(zone, now.toISOString(), DEFAULT_ZONE) }),
      sets,
    );
  }

  async #run(operation: Operation, asked: ToolRequest): Promise<HttpAnswer> {
    const { request, trace } = this.#visit;
    if (!operation.route.available) throw refusal("unavailable");
    const inner: Trace = { ...trace, path: asked.path, headers: {} };
    this.#visit.isCounted = true;
    try {
      return await this.#parts.calls.serve(requestOf(request, asked), inner, asked.found, asked.query);
    } finally {
      trace.organisation = inner.organisation;
      trace.caller = inner.caller;
      for (const name of ABOUT_CALLER) if (inner.headers[name] !== undefined) trace.headers[name] = inner.headers[name];
    }
  }

  /** The error as the API's; one that was not expected is logged. */
  #known(error: unknown): ApiError {
    const { trace } = this.#visit;
    const known = asApiError(error);
    if (known.code === 401) this.#visit.refused = this.#parts.challenged(known);
    if (known.code >= 500)
      this.#parts.logger.error(
        { event: "mcp.tool_failed", requestId: trace.requestId, organisation: trace.organisation, error: describe(error) },
        "a tool failed",
      );
    return known;
  }
}

/** @throws 422 for invalid search arguments */
function searchOf({ query, module, limit, operation, output }: Record<string, unknown>): Search {
  const wrong = {
    ...(query !== undefined && (typeof query !== "string" || query.length > 200) && { query: "errors.validation" }),
    ...(module !== undefined && typeof module !== "string" && { module: "errors.validation" }),
    ...(limit !== undefined && !Number.isInteger(limit) && { limit: "errors.validation" }),
    ...(operation !== undefined && typeof operation !== "string" && { operation: "errors.validation" }),
    ...(output !== undefined && typeof output !== "boolean" && { output: "errors.validation" }),
  };
  if (Object.keys(wrong).length > 0) throw invalid(wrong);
  return {
    ...(query !== undefined && { query: query as string }),
    ...(module !== undefined && { module: module as string }),
    ...(limit !== undefined && { limit: limit as number }),
    ...(operation !== undefined && { operation: operation as string }),
    ...(output !== undefined && { output: output as boolean }),
  };
}
