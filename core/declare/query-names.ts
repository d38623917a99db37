import { nearestTo } from "../values/nearest-name.ts";
import type { Action } from "./action.ts";

/** Longest name that a nearest one is looked for, in characters: no parameter of ours is half as long. */
const LONGEST = 64;
/** Most names that one refusal lists. */
const MOST = 20;

type Declared = Pick<Action, "method" | "rest" | "query" | "returns" | "permission" | "untenanted" | "oauth" | "streams">;

/** Whether an answer is a list: an array, or a page of one. */
function isList(returns: unknown): boolean {
  const { type, properties } = (returns ?? {}) as { type?: unknown; properties?: Record<string, unknown> };
  return type === "array" || (properties?.["items"] !== undefined && properties["total"] !== undefined);
}

/**
 * Whether an action refuses query parameters it does not know: a list, an export or a figure whose filter is misspelt would answer as if
 * nobody had asked for it. Pages, callbacks and OAuth take what others add to their addresses.
 */
export const knowsItsQuery = ({ method, rest, query, returns, permission, untenanted, oauth, streams }: Declared): boolean =>
  method === "GET" &&
  rest !== undefined &&
  !untenanted &&
  !oauth &&
  !streams &&
  (isList(returns) || (permission !== undefined && Object.keys(query ?? {}).length > 0));

/** What is said of unknown query parameters: a translation key by name, and the nearest known name by name where there is one. */
interface UnknownQuery {
  fields: Record<string, string>;
  details?: Record<string, string>;
}

/**
 * Compiles the look at the names in a query; null for an action that ignores unknown ones. Names that begin with `_` are the caller's own.
 * @param inPath names of the parameters in its path
 * @returns a function that gives null where every name is known
 */
export function unknownQuery(
  action: Declared,
  inPath: readonly string[],
): ((raw: Record<string, unknown>) => UnknownQuery | null) | null {
  if (!knowsItsQuery(action)) return null;
  const names = Object.keys(action.query ?? {});
  const known = new Set([...names, ...inPath]);
  const nearest = (name: string): [string, string][] =>
    names.length === 0 || name.length > LONGEST ? [] : [[name, nearestTo(name, names).nearest]];
  return (raw) => {
    const unknown = Object.keys(raw).filter((name) => !known.has(name) && !name.startsWith("_"));
    if (unknown.length === 0) return null;
    const listed = unknown.slice(0, MOST);
    const fields = Object.fromEntries(listed.map((name) => [name, "errors.unknown_parameter"]));
    const details = Object.fromEntries(listed.flatMap(nearest));
    return Object.keys(details).length > 0 ? { fields, details } : { fields };
  };
}
