import type { Tool } from "@modelcontextprotocol/server";
import { catalogue } from "../../../core/declare/catalogue/catalogue.ts";
import type { Principal } from "../../../core/declare/principal.ts";
import { type ApiError, invalid, refusal } from "../../../core/errors/errors.ts";
import type { Route } from "../routes.ts";
import { isObject } from "./arguments.ts";
import { type Operation, operationsOf } from "./operations.ts";
import { type ArgumentsSchema, toolSchema } from "./schemas.ts";
import { ranked } from "./search.ts";

export const SEARCH = "search_tools";
export const READ = "read_tool";
export const CALL = "call_tool";

/** Operations that a search returns in full: by default, and at most. */
const SHOWN = { usual: 5, most: 20 };
/** Further matches that it only names; a module listing names all. */
const NAMED = 40;

/** A dedicated tool: its operation, the parameters it sets, and its description for clients. */
interface OwnTool {
  operation: Operation;
  sets: Readonly<Record<string, string>>;
  tool: Tool;
}

export interface Search {
  query?: string;
  module?: string;
  limit?: number;
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
    description: `Finds operations of this back office by words, with the JSON Schema of their parameters: only those the caller can use. Search in English ("create invoice", "leave balance"). A module alone lists its operations; without either it lists the modules.`,
    inputSchema: object(
      {
        query: { type: "string", maxLength: 200, description: "Words that describe the operation." },
        module: { type: "string", enum: [...modules], description: "Only operations of this module." },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: SHOWN.most,
          default: SHOWN.usual,
          description: "How many to return in full.",
        },
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
    const { name, description, sets = {} } = declared;
    const tool = { name, title: operation.summary, description, inputSchema: toolSchema(declaration, declared) };
    own.set(name, { operation, sets, tool: { ...tool, annotations: { ...operation.hints } } });
  }
  return own;
}

const named = ({ id, module, summary, hints }: Operation) => ({
  operation: id,
  module,
  summary,
  readOnlyHint: hints.readOnlyHint,
});

const whole = ({ id, module, summary, description, hints, schema }: Operation) => ({
  operation: id,
  module,
  summary,
  ...(description !== null && { description }),
  annotations: hints,
  inputSchema: schema(),
});

/** A tool call that maps to an operation. */
export interface Called {
  operation: Operation;
  given: Readonly<Record<string, unknown>>;
  sets: Readonly<Record<string, string>>;
}

/** Every tool of one state of the registry, made from declarations alone: it contains no stored data. */
export class ToolCatalogue {
  readonly operations: ReadonlyMap<string, Operation>;
  readonly #own: ReadonlyMap<string, OwnTool>;
  readonly #common: readonly Tool[];
  readonly #modules: readonly string[];

  constructor(routes: readonly Route[]) {
    this.operations = operationsOf(routes);
    this.#own = ownTools(this.operations.values());
    this.#modules = [...new Set([...this.operations.values()].map(({ module }) => module))].sort();
    this.#common = common(this.#modules);
  }

  /** The tools this caller may use. */
  list(principal: Principal): Tool[] {
    const own = [...this.#own.values()].filter(({ operation }) => operation.admits(principal));
    return [...own.map(({ tool }) => tool), ...this.#common];
  }

  /** The operation a tool call maps to, or null. */
  called(name: unknown, args: unknown = {}): Called | null {
    if (!isObject(args)) return null;
    const own = typeof name === "string" ? this.#own.get(name) : undefined;
    if (own) return { operation: own.operation, given: args, sets: own.sets };
    if (name !== CALL && name !== READ) return null;
    const operation = this.operations.get(String(args["operation"]));
    if (!operation || (name === READ && !operation.hints.readOnlyHint)) return null;
    const inner = args["arguments"];
    return { operation, given: isObject(inner) ? inner : {}, sets: {} };
  }

  has(name: string): boolean {
    return this.#own.has(name) || this.#common.some((one) => one.name === name);
  }

  /** The refusal for a call that maps to no operation: an unknown name, or a write called as a read. */
  fault(given: Readonly<Record<string, unknown>>): ApiError {
    if (this.operations.has(String(given["operation"]))) return invalid({ operation: "errors.validation" });
    return refusal("not_found", "errors.not_found", { fields: { operation: "errors.not_found" } });
  }

  /** Searches the operations the caller may use. */
  search(principal: Principal, { query = "", module, limit = SHOWN.usual }: Search): object {
    const within = [...this.operations.values()].filter((one) => module === undefined || one.module === module);
    const isList = query.trim() === "";
    if (isList && module === undefined) return this.#moduleList(principal);
    const admitted = (isList ? within : ranked(within, query)).filter((one) => one.admits(principal));
    const most = Math.min(SHOWN.most, Math.max(1, limit));
    return {
      total: admitted.length,
      operations: admitted.slice(0, most).map(whole),
      further: admitted.slice(most, isList ? undefined : most + NAMED).map(named),
    };
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
