import { catalogue } from "../../../core/declare/catalogue/catalogue.ts";
import type { Declaration } from "./declaration.ts";

type Named = Pick<Declaration, "name" | "method" | "urlPath" | "verb" | "returns">;

const camelCase = (words: string) =>
  words.replace(/[^a-zA-Z0-9]+(.)?/g, (_, next: string | undefined) => next?.toUpperCase() ?? "");
const lastOf = (parts: readonly string[]) => parts.at(-1) ?? "";

/** Whether an answer is a list of rows or a page of them. */
const isMany = (returns: Declaration["returns"]) => {
  const { type, properties } = (returns ?? {}) as { type?: unknown; properties?: object };
  return type === "array" || (properties !== undefined && "items" in properties);
};

/** The verb of every method but POST. PUT sets: for some records it replaces all fields, for others those that were sent. */
const VERBS: Readonly<Record<string, string>> = { PATCH: "update", PUT: "set", DELETE: "remove" };

/** The objects in a path: a module's own names for its beginning (`operationNames` of the manifest), then each fixed segment. */
function objectsIn(urlPath: string): string[] {
  const names = catalogue().operationNames;
  const beginning = Object.keys(names)
    .filter((one) => urlPath.startsWith(one))
    .toSorted((one, other) => other.length - one.length)[0];
  const named = beginning === undefined ? [] : (names[beginning] as string).split(".");
  const rest = urlPath.slice(beginning?.length ?? 0).split("/");
  return [...named, ...rest.filter((part) => part !== "" && !part.startsWith(":")).map(camelCase)];
}

/**
 * The dotted public name of an operation: the objects of its path, then its verb. GET lists or gets, PATCH updates, PUT sets, DELETE removes.
 * POST is the last segment of the path if the action is named after that segment, and creates otherwise. `verb` of the declaration names
 * what else an operation does; where the path ends with that word, it occurs once.
 * `GET /companies/groups` is `companies.groups.list`, and `POST /webhooks/endpoints/:endpoint_id/rotate` is `webhooks.endpoints.rotate`.
 */
export function operationName({ name, method, urlPath, verb, returns }: Named): string {
  const last = lastOf(urlPath.split("/"));
  const ending = last.startsWith(":") ? null : camelCase(last);
  const own = verb ?? (method === "POST" && ending === camelCase(lastOf(name.split("."))) ? ending : undefined);
  const usual = VERBS[method] ?? (method === "POST" ? "create" : ending !== null && isMany(returns) ? "list" : "get");
  const objects = objectsIn(own !== undefined && own === ending ? urlPath.slice(0, urlPath.lastIndexOf("/")) : urlPath);
  return [...objects, own ?? usual].join(".");
}

/** The operation id of a dotted name: `companies.groups.list` is `companiesGroupsList`. */
export const idOfName = (name: string): string => camelCase(name);

/** The operation id of a declaration, unique in a document. */
export const operationId = (declaration: Named): string => idOfName(operationName(declaration));
