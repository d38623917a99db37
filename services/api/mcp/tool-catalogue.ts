import type { Tool } from "@modelcontextprotocol/server";
import { nearestTo } from "../../../core/config/nearest-name.ts";
import { catalogue } from "../../../core/declare/catalogue/catalogue.ts";
import type { Principal } from "../../../core/declare/principal.ts";
import type { ToolDefault } from "../../../core/declare/tool.ts";
import { type ApiError, invalid, refusal } from "../../../core/errors/errors.ts";
import type { Area } from "../areas.ts";
import { moduleOf } from "../openapi/openapi.ts";
import type { Route } from "../routes.ts";
import { isObject } from "./arguments.ts";
import { type Operation, operationsOf } from "./operations.ts";
import { type ArgumentsSchema, answerSchema, toolSchema } from "./schemas.ts";
import { isNamed, ranked } from "./search.ts";

export const SEARCH = "search_tools";
export const READ = "read_tool";
export const CALL = "call_tool";

/** Operations that a search describes in a line: by default, and at most. */
const SHOWN = { usual: 5, most: 20 };
/** Further matches of which it gives the name alone; a module listing names all. */
const NAMED = 15;
/** Longest name of an operation that is looked for, in characters. */
const LONGEST_NAME = 80;

/** A dedicated tool: its operation, the parameters it sets, and its description for clients. */
interface OwnTool {
  operation: Operation;
  sets: Readonly<Record<string, string>>;
  defaults: Readonly<Record<string, ToolDefault>>;
  tool: Tool;
  /** Whether only the address of its area lists it. */
  inArea: boolean;
}

export interface Search {
  query?: string;
  module?: string;
  limit?: number;
  /** The one operation to describe in full. */
  operation?: string;
  /** Whether that description has the JSON Schema of the answer, too. */
  output?: boolean;
}

const object = (properties: ArgumentsSchema["properties"], required: string[]): ArgumentsSchema => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

const CALLED = object(
  {
    operation: { type: "string", description: `The name of an operation, as returned by ${SEARCH}.` },
    arguments: { type: "object", description: "The operation's parameters, by its own schema.", additionalProperties: true },
  },
  ["operation"],
);

const NOTHING_OUTSIDE = { openWorldHint: false };

/** The tools that reach every operation. `modules` are those with at least one. */
const common = (modules: readonly string[]): Tool[] => [
  {
    name: SEARCH,
    title: "Search operations",
    description: `Finds operations of this back office by words, only those the caller can use: "create invoice", "who is away", "openstaande facturen". Each match is a line; \`operation\` returns one with the JSON Schema of its parameters. A module alone lists its operations; without any argument it lists the modules.`,
    inputSchema: object(
      {
        query: { type: "string", maxLength: 200, description: "What you want to do or know, in English or Dutch." },
        module: { type: "string", enum: [...modules], description: "Only operations of this module." },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: SHOWN.most,
          default: SHOWN.usual,
          description: "How many matches to describe; of further ones only the name.",
        },
        operation: {
          type: "string",
          maxLength: LONGEST_NAME,
          description: "The name of one operation: returns its description and the JSON Schema of its parameters.",
        },
        output: { type: "boolean", default: false, description: "With `operation`: the JSON Schema of its answer, too." },
      },
      [],
    ),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, ...NOTHING_OUTSIDE },
  },
  {
    name: READ,
    title: "Call an operation that reads",
    description: `Calls an operation found by ${SEARCH} whose \`readOnlyHint\` is true. It changes nothing.`,
    inputSchema: CALLED,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, ...NOTHING_OUTSIDE },
  },
  {
    name: CALL,
    title: "Call any operation",
    description: `Calls an operation found by ${SEARCH}, including writes. Give a write that must not happen twice an \`idempotency_key\`; give \`if_match\` the \`etag\` of a read to refuse the write if the record has changed since.`,
    inputSchema: CALLED,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, ...NOTHING_OUTSIDE },
  },
];

function ownTools(operations: Iterable<Operation>): Map<string, OwnTool> {
  const own = new Map<string, OwnTool>();
  for (const operation of operations) {
    const { declaration } = operation.route;
    const { tool: declared } = declaration;
    if (!declared || own.has(declared.name)) continue;
    const { name, description, sets = {}, defaults = {}, inArea = false } = declared;
    const tool = { name, title: operation.summary, description, inputSchema: toolSchema(declaration, declared) };
    own.set(name, { operation, sets, defaults, inArea, tool: { ...tool, annotations: { ...operation.hints } } });
  }
  return own;
}

/** The names of what a call must give: parameters, and the fields of its body. */
function requiredBy({ schema }: Operation): string[] {
  const { properties, required } = schema();
  const fields = properties["body"]?.["required"];
  return [...required.filter((name) => name !== "body"), ...(Array.isArray(fields) ? fields.map(String) : [])];
}

const named = (operation: Operation) => ({
  operation: operation.id,
  module: operation.module,
  summary: operation.summary,
  readOnlyHint: operation.hints.readOnlyHint,
  requires: requiredBy(operation),
});

const whole = ({ id, module, summary, description, hints, schema, route }: Operation, output: boolean) => ({
  operation: id,
  module,
  summary,
  ...(description !== null && { description }),
  annotations: hints,
  inputSchema: schema(),
  ...(output && { outputSchema: answerSchema(route.declaration) }),
});

/** A tool call that maps to an operation. */
export interface Called {
  operation: Operation;
  given: Readonly<Record<string, unknown>>;
  sets: Readonly<Record<string, string>>;
  defaults: Readonly<Record<string, ToolDefault>>;
}

/** Every tool of one state of the registry, or those of one area, made from declarations alone: it contains no stored data. */
export class ToolCatalogue {
  readonly operations: ReadonlyMap<string, Operation>;
  readonly #own: ReadonlyMap<string, OwnTool>;
  readonly #common: readonly Tool[];
  readonly #modules: readonly string[];
  readonly #area: Area | null;
  readonly #byRoute: ReadonlyMap<Route, Operation>;

  constructor(routes: readonly Route[], area: Area | null = null) {
    this.#area = area;
    const isInside = ({ declaration }: Route) => area === null || Object.hasOwn(area.tags, moduleOf(declaration));
    this.operations = operationsOf(routes.filter(isInside));
    this.#byRoute = new Map([...this.operations.values()].map((operation) => [operation.route, operation]));
    this.#own = ownTools(this.operations.values());
    this.#modules = [...new Set([...this.operations.values()].map(({ module }) => module))].sort();
    this.#common = common(this.#modules);
  }

  /** The tools this caller may use. */
  list(principal: Principal): Tool[] {
    const listed = [...this.#own.values()].filter(({ inArea }) => this.#area !== null || !inArea);
    const own = listed.filter(({ operation }) => operation.admits(principal));
    return [...own.map(({ tool }) => tool), ...this.#common];
  }

  /** The operation a tool call maps to, or null. */
  called(name: unknown, args: unknown = {}): Called | null {
    if (!isObject(args)) return null;
    const own = typeof name === "string" ? this.#own.get(name) : undefined;
    if (own) return { operation: own.operation, given: args, sets: own.sets, defaults: own.defaults };
    if (name !== CALL && name !== READ) return null;
    const operation = this.operations.get(String(args["operation"]));
    if (!operation || (name === READ && !operation.hints.readOnlyHint)) return null;
    const inner = args["arguments"];
    return { operation, given: isObject(inner) ? inner : {}, sets: {}, defaults: {} };
  }

  /** The operation of a route; undefined for one that is no tool, or of another area. */
  ofRoute(route: Route): Operation | undefined {
    return this.#byRoute.get(route);
  }

  has(name: string): boolean {
    return this.#own.has(name) || this.#common.some((one) => one.name === name);
  }

  /** The refusal for a call that maps to no operation: a write called as a read, or an unknown name. */
  fault(principal: Principal, given: Readonly<Record<string, unknown>>): ApiError {
    const name = String(given["operation"]);
    return this.operations.has(name) ? invalid({ operation: "errors.validation" }) : this.#unknown(principal, name);
  }

  /** 404, with the nearest operation that the caller has. */
  #unknown(principal: Principal, name: string): ApiError {
    const near = this.#near(principal, name);
    return refusal("not_found", "errors.not_found", {
      fields: { operation: "errors.not_found" },
      ...(near && { details: { operation: near } }),
    });
  }

  /**
   * Searches the operations the caller may use: a line for each of the best, the names of further ones. With `operation` it describes that one
   * in full. @throws 404 with the nearest name for an operation that the caller does not have
   */
  search(principal: Principal, asked: Search): object {
    const { query = "", module, limit = SHOWN.usual, operation, output = false } = asked;
    if (operation !== undefined) {
      const one = this.operations.get(operation);
      if (!one?.admits(principal)) throw this.#unknown(principal, operation);
      return { total: 1, operations: [whole(one, output)], further: [] };
    }
    const within = [...this.operations.values()].filter((one) => module === undefined || one.module === module);
    const isList = query.trim() === "";
    if (isList && module === undefined) return this.#moduleList(principal);
    const admitted = (isList ? within : ranked(within, query)).filter((one) => one.admits(principal));
    const most = Math.min(SHOWN.most, Math.max(1, limit));
    return {
      total: admitted.length,
      operations: admitted.slice(0, most).map(named),
      further: admitted.slice(most, isList ? undefined : most + NAMED).map(({ id }) => id),
    };
  }

  /** The operation of the caller that is probably meant: by a typing error, or by the words of the name, as `createInvoice`. */
  #near(principal: Principal, name: string): string | undefined {
    const own = [...this.operations.values()].filter((one) => one.admits(principal));
    if (own.length === 0 || name.length > LONGEST_NAME) return undefined;
    const { nearest, isMisspelt } = nearestTo(
      name,
      own.map(({ id }) => id),
    );
    return isMisspelt ? nearest : ranked(own, name).find((one) => isNamed(one.indexed, name))?.id;
  }

  #moduleList(principal: Principal): object {
    const admitted = Map.groupBy(
      [...this.operations.values()].filter((one) => one.admits(principal)),
      ({ module }) => module,
    );
    const { tags } = catalogue();
    const modules = this.#modules.flatMap((module) => {
      const operations = admitted.get(module)?.length ?? 0;
      return operations === 0 ? [] : [{ module, about: tags[module] ?? null, operations }];
    });
    return { modules };
  }
}
