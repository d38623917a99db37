/** A tool of its own that an action is for MCP clients (docs/connect.md), beside the search by which they find every action. */
export interface ToolDeclaration {
  /** Words of lower-case letters joined by `_`; one tool of that name. */
  name: string;
  /** What it is for, as a language model reads it. */
  description: string;
  /** Query parameters that the tool sets itself. */
  sets?: Readonly<Record<string, string>>;
  /** Parameters, and fields of the body, that the tool takes; each has one meaning only. */
  takes: readonly string[];
}

/** What of a declaration a tool stands on. */
interface Taken {
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

/** What is wrong with the tool of a declaration, or null. */
export function toolFault({ rest, path = {}, query = {}, body, tool }: Taken): string | null {
  if (!tool) return null;
  const { name, sets = {}, takes } = tool;
  if (rest === undefined) return "is a tool without a route";
  if (!NAME.test(name)) return `is a tool by the name '${name}', which is none`;
  const inPath = [...rest.matchAll(/:([a-z_]+)/g)].map(([, parameter]) => parameter as string);
  const parameters = new Set([...inPath, ...Object.keys(path), ...Object.keys(query)]);
  const fields = new Set(bodyFields(body));
  const unknown = [...Object.keys(sets), ...takes].find((one) => !parameters.has(one) && !fields.has(one));
  if (unknown !== undefined) return `is a tool that takes '${unknown}', which the action does not`;
  const double = takes.find((one) => parameters.has(one) && fields.has(one));
  if (double !== undefined) return `is a tool that takes '${double}', which is a parameter and a field of the body`;
  const set = takes.find((one) => Object.hasOwn(sets, one));
  if (set !== undefined) return `is a tool that both sets and takes '${set}'`;
  const missing = inPath.find((one) => !takes.includes(one) && !Object.hasOwn(sets, one));
  return missing === undefined ? null : `is a tool without '${missing}', which its path needs`;
}
