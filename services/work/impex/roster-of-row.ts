import type { Values } from "../../../core/database/write.ts";
import type { Refused } from "../../../core/impex/entity.ts";
import { addressesIn } from "../../../core/impex/files/lists.ts";
import { type Assignee, primaryOf, readRoster } from "../../../core/rules/roster.ts";
import type { NamedPeople } from "./named-people.ts";

/** Refusals of a row by its own columns: the roster that a body names is in `responsible` where the file has no `assignees`. */
export function peopleByColumn(row: Values, refused: Refused): Refused {
  const { assignees, ...rest } = refused;
  if (assignees === undefined || row["assignees"] !== undefined) return refused;
  return { ...rest, responsible: assignees };
}

/** The roster of a row (undefined if it changes nothing), or its errors by column. */
export type RosterOfRow = { assignees: Assignee[] | undefined } | { refused: Refused };

/**
 * Reads the people of a row: `assignees` is the whole roster, `responsible` its starred person, added if missing. Without `responsible` the
 * star stays with its person, or goes to the first one.
 * @param before the stored roster; null for a new project, which inherits a roster if the row names no one
 */
export function rosterOfRow(row: Values, people: NamedPeople, before: readonly Assignee[] | null): RosterOfRow {
  const refused: Refused = {};
  const idOf = (word: string, column: string): string[] => {
    const found = people.of(word);
    if ("id" in found) return [found.id];
    refused[column] = found.error;
    return [];
  };
  const words = ((row["assignees"] as string[] | undefined) ?? []).flatMap(addressesIn).filter((word) => word.trim() !== "");
  const named = words.flatMap((word) => idOf(word, "assignees"));
  const [starred] = row["responsible"] === undefined ? [] : idOf(row["responsible"] as string, "responsible");
  if (Object.keys(refused).length > 0) return { refused };
  if (named.length === 0 && starred === undefined) return { assignees: undefined };
  const stored = before ?? [];
  const ids = new Set([...(named.length > 0 ? named : stored.map(({ user_id }) => user_id)), ...(starred ? [starred] : [])]);
  const isStored = ids.size === stored.length && stored.every(({ user_id }) => ids.has(user_id));
  if (isStored && (starred ?? primaryOf(stored)) === primaryOf(stored)) return { assignees: undefined };
  const star = starred ?? primaryOf(stored);
  return { assignees: readRoster([...ids].map((user_id) => ({ user_id, is_primary: user_id === star }))) };
}
