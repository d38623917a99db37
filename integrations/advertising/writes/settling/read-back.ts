import { type Collection, lastId, type Operation } from "../requests/operation.ts";
import { kindOf, namedQuery, nameOf, objectIn, type ProviderRow, selection, type Values } from "../requests/provider-objects.ts";

const DIGITS = /^[0-9]+$/;

/** The query for the rows in which a new object is found: those of its parent, or all. It contains no caller text. */
function creationQuery(collection: Collection, create: Values): string {
  const { resource, parent } = kindOf(collection);
  if (!parent) return `${selection(collection)} ${resource}.status != 'REMOVED'`;
  const id = lastId(String(create[parent.field]));
  if (!DIGITS.test(id)) throw new TypeError(`a new ${resource} names no parent`);
  return `${selection(collection)} ${parent.resource}.id = ${id}`;
}

/** The queries that reveal the outcome of one call's operations: one for the objects that they name, one for each parent of new ones. */
export function readBackQueries(collection: Collection, operations: readonly Operation[]): string[] {
  const named = operations.map((one) => one.remove ?? one.update?.["resourceName"]).filter((one) => typeof one === "string");
  const created = operations.flatMap(({ create }) => (create ? [creationQuery(collection, create)] : []));
  return [...(named.length > 0 ? [namedQuery(collection, named)] : []), ...new Set(created)];
}

/** Whether the provider has every value of an update. */
const hasAll = (update: Values, found: Values): boolean =>
  Object.entries(update).every(([field, value]) => field === "resourceName" || found[field] === value);

/**
 * The outcome of each operation, derived from the provider's current state: a new object is recognised by its content, a change by its
 * values, a removal by the object's absence.
 * @param rows the results of the queries
 * @param known resource names of objects that other writes created
 * @returns the resource name if the operation was applied, else null
 */
export function appliedOperations(
  collection: Collection,
  operations: readonly Operation[],
  rows: readonly ProviderRow[],
  known: ReadonlySet<string>,
): (string | null)[] {
  const kind = kindOf(collection);
  const taken = new Set(known);
  const objects = rows.map((row) => objectIn(row[kind.key]));
  const isThere = (one: Values) => one["status"] !== "REMOVED";
  // Ids of the provider increase, so the highest is the newest.
  const newestFirst = objects.filter(isThere).toSorted((a, b) => compareIds(nameOf(b), nameOf(a)));
  return operations.map(({ create, update, remove }) => {
    if (remove !== undefined) return objects.some((one) => nameOf(one) === remove && isThere(one)) ? null : remove;
    if (update) {
      const name = String(update["resourceName"]);
      return objects.some((one) => nameOf(one) === name && hasAll(update, one)) ? name : null;
    }
    const found = newestFirst.find((one) => !taken.has(nameOf(one)) && kind.isSame(withNegative(collection, create ?? {}), one));
    if (!found) return null;
    taken.add(nameOf(found));
    return nameOf(found);
  });
}

function compareIds(one: string, other: string): number {
  const [a, b] = [lastId(one), lastId(other)];
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

/** A new object as the provider reports it: criteria of a shared list do not say that they are negative. */
export const withNegative = (collection: Collection, created: Values): Values =>
  collection === "sharedCriteria" ? { ...created, negative: false } : created;
