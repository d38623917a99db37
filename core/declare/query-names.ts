import { MOST_UNKNOWN, nearestNames } from "../config/nearest-name.ts";
import type { Action } from "./action.ts";

type Declared = Pick<
  Action,
  "method" | "rest" | "query" | "returns" | "status" | "permission" | "untenanted" | "oauth" | "streams"
>;

/** Whether a response is a list: an array, or a page of one. */
function isList(returns: unknown): boolean {
  const { type, properties } = (returns ?? {}) as { type?: unknown; properties?: Record<string, unknown> };
  return type === "array" || (properties?.["items"] !== undefined && properties["total"] !== undefined);
}

/** The status of a browser that came back from another site and is sent on. */
const CAME_BACK = 307;

/**
 * Whether an action rejects unknown query parameters: a list, an export or a figure with a misspelt filter would otherwise respond as if
 * the filter were absent. Pages, callbacks and OAuth accept parameters that others add to their addresses.
 */
export const knowsItsQuery = ({
  method,
  rest,
  query,
  returns,
  status,
  permission,
  untenanted,
  oauth,
  streams,
}: Declared): boolean =>
  method === "GET" &&
  rest !== undefined &&
  !untenanted &&
  !oauth &&
  !streams &&
  status !== CAME_BACK &&
  (isList(returns) || (permission !== undefined && Object.keys(query ?? {}).length > 0));

/** The error for unknown query parameters: a translation key by name, and the nearest valid name by name, if any. */
interface UnknownQuery {
  fields: Record<string, string>;
  details?: Record<string, string>;
}

/**
 * Compiles the check of query parameter names; null for an action that ignores unknown ones. Names starting with `_` are the caller's own.
 * @param inPath names of the parameters in its path
 * @returns a function that returns null if every name is valid
 */
export function unknownQuery(
  action: Declared,
  inPath: readonly string[],
): ((raw: Record<string, unknown>) => UnknownQuery | null) | null {
  if (!knowsItsQuery(action)) return null;
  const names = Object.keys(action.query ?? {});
  const known = new Set([...names, ...inPath]);
  return (raw) => {
    const unknown = Object.keys(raw).filter((name) => !known.has(name) && !name.startsWith("_"));
    if (unknown.length === 0) return null;
    const listed = unknown.slice(0, MOST_UNKNOWN);
    const fields = Object.fromEntries(listed.map((name) => [name, "errors.unknown_parameter"]));
    const details = nearestNames(
      listed.map((name) => [name, name]),
      names,
    );
    return Object.keys(details).length > 0 ? { fields, details } : { fields };
  };
}
