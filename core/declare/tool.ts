/** A value that depends on the moment of the call: the year of the organisation's date; the start of hours so that they end now. */
export type ToolDefault = "this_year" | "ends_now";

/** Declares an action as a tool of its own for MCP clients (docs/connect.md), in addition to the search that finds every action. */
export interface ToolDeclaration {
  /** Words of lower-case letters joined by `_`; unique among tools. */
  name: string;
  /** Its purpose, written for a language model. */
  description: string;
  /** Query parameters that the tool itself sets. */
  sets?: Readonly<Record<string, string>>;
  /** Values for arguments that the caller leaves out, by argument. */
  defaults?: Readonly<Record<string, ToolDefault>>;
  /** Whether only the address of its area lists it, such as `/mcp/work`; `/mcp` lists what everybody uses every day. */
  inArea?: true;
  /** The parameters and body fields that the tool accepts; each must be one or the other, not both. */
  takes: readonly string[];
}

/** The parts of a declaration that a tool depends on. */
interface ToolParts {
  rest?: string | undefined;
  path?: object | undefined;
  query?: object | undefined;
  body?: unknown;
  tool?: ToolDeclaration | undefined;
}

const NAME = /^[a-z]+(_[a-z]+)+$/;

/** Names of the fields of a body. */
export const bodyFields = (body: unknown): string[] =>
  Object.keys((body as { properties?: object } | null | undefined)?.properties ?? {});

/** The error in the tool of a declaration, or null. */
export function toolFault({ rest, path = {}, query = {}, body, tool }: ToolParts): string | null {
  if (!tool) return null;
  const { name, sets = {}, defaults = {}, takes } = tool;
  if (rest === undefined) return "is a tool without a route";
  if (!NAME.test(name)) return `is a tool with the invalid name '${name}'`;
  const inPath = [...rest.matchAll(/:([a-z_]+)/g)].map(([, parameter]) => parameter as string);
  const parameters = new Set([...inPath, ...Object.keys(path), ...Object.keys(query)]);
  const fields = new Set(bodyFields(body));
  const unknown = [...Object.keys(sets), ...Object.keys(defaults), ...takes].find(
    (one) => !parameters.has(one) && !fields.has(one),
  );
  if (unknown !== undefined) return `is a tool with the parameter '${unknown}', which the action does not have`;
  const double = takes.find((one) => parameters.has(one) && fields.has(one));
  if (double !== undefined) return `is a tool with '${double}', which is both a parameter and a field of the body`;
  const set = takes.find((one) => Object.hasOwn(sets, one));
  if (set !== undefined) return `is a tool that sets '${set}' and accepts it too`;
  const kept = Object.keys(defaults).find((one) => !takes.includes(one));
  if (kept !== undefined) return `is a tool with a default for '${kept}', which it does not accept`;
  const missing = inPath.find((one) => !takes.includes(one) && !Object.hasOwn(sets, one));
  return missing === undefined ? null : `is a tool without '${missing}', which its path needs`;
}
