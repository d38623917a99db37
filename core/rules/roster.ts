import { refusal } from "../errors/errors.ts";

/** One person on the roster of a client, project or task. */
export interface Assignee {
  user_id: string;
  is_primary: boolean;
}

/** A roster in a request body. */
export type SentAssignees = readonly { user_id: string; is_primary?: boolean | undefined }[];

interface RosterInput {
  assignees?: SentAssignees | null | undefined;
  responsible_user_id?: string | null | undefined;
}

/**
 * Converts a sent list to a roster (clients chapter §3.4, work chapter §1). Duplicate people are merged and keep a primary claim; without a
 * claim the first is primary.
 * @throws 400 `multiple_primary_assignees`
 */
export function readRoster(sent: SentAssignees): Assignee[] {
  const roster = new Map<string, Assignee>();
  for (const { user_id: raw, is_primary: claim = false } of sent) {
    const id = raw.toLowerCase();
    roster.set(id, { user_id: id, is_primary: claim || (roster.get(id)?.is_primary ?? false) });
  }
  const list = [...roster.values()];
  const primaries = list.filter(({ is_primary }) => is_primary).length;
  if (primaries > 1) throw refusal("multiple_primary_assignees");
  if (primaries === 0 && list[0]) list[0].is_primary = true;
  return list;
}

/**
 * The roster after a write, or null if the write leaves it unchanged: the rule for clients and projects. `assignees` replaces the whole
 * roster and takes precedence. `responsible_user_id` alone only moves the star: the person is added if absent, and the former primary
 * stays; null demotes without promoting anyone (clients chapter §3.4, work chapter §2.1).
 * @throws 400 `multiple_primary_assignees`
 */
export function nextRoster(
  before: readonly Assignee[],
  { assignees, responsible_user_id: responsible }: RosterInput,
): Assignee[] | null {
  if (assignees !== undefined) return readRoster(assignees ?? []);
  if (responsible === undefined) return null;
  const id = responsible?.toLowerCase();
  const rest = before.map(({ user_id }) => ({ user_id, is_primary: user_id === id }));
  if (!id || rest.some(({ user_id }) => user_id === id)) return rest;
  return [{ user_id: id, is_primary: true }, ...rest];
}

/** The primary assignee's id, or null: the value of the mirror field (`responsible_user_id`, `assignee_user_id`). */
export const primaryOf = (roster: readonly Assignee[]): string | null =>
  roster.find(({ is_primary }) => is_primary)?.user_id ?? null;

/**
 * The people whom a write newly names: added to the roster, or starred on it. They must be allowed there; a former member stays through
 * other changes (clients chapter §3.4, work chapter §1).
 */
export function newlyNamed(before: readonly Assignee[], after: readonly Assignee[]): string[] {
  const [present, former] = [new Set(before.map(({ user_id }) => user_id)), primaryOf(before)];
  return after
    .filter((one) => !present.has(one.user_id) || (one.is_primary && one.user_id !== former))
    .map(({ user_id }) => user_id);
}

/** A roster with one person in place of another, with that person's star; a person who was on it already is on it once. */
export const handedOver = (roster: readonly Assignee[], from: string, to: string): Assignee[] =>
  roster.map(({ user_id, is_primary }) => ({ user_id: user_id === from ? to : user_id, is_primary }));

/** Whether two rosters have the same people and star, in any order. */
export function sameRoster(one: readonly Assignee[], other: readonly Assignee[]): boolean {
  if (one.length !== other.length) return false;
  return one.every(({ user_id, is_primary }) =>
    other.some((person) => person.user_id === user_id && person.is_primary === is_primary),
  );
}

/** A person on a roster from which new work is inherited. */
export interface Candidate extends Assignee {
  /** Whether the person can get new work: an active member who is no client login. */
  is_able: boolean;
}

/** The person who inherits new work, and whether that work has nobody only because those named are inactive or gone. */
export interface Heir {
  readonly heir: string | null;
  readonly is_orphaned: boolean;
}

/**
 * The heir of new work (work chapter §1): of the first roster with a star its starred person, else, when that person cannot get new work, the
 * next one who can; without such a person the following roster decides. A roster without a star passes nothing on.
 * @param rosters the closest first, each with the starred person first, then by age of the assignment
 */
export function heirOf(...rosters: readonly (readonly Candidate[])[]): Heir {
  const starred = rosters.filter((roster) => primaryOf(roster) !== null);
  const heirs = starred.flatMap((roster) => roster.find(({ is_able }) => is_able)?.user_id ?? []);
  return { heir: heirs[0] ?? null, is_orphaned: heirs.length === 0 && starred.length > 0 };
}

/** The people of a roster who can get new work; if the starred person is none of them, the first one gets the star. */
export function remainingOf(roster: readonly Candidate[]): Assignee[] {
  const left = roster.filter(({ is_able }) => is_able).map(({ user_id, is_primary }) => ({ user_id, is_primary }));
  return primaryOf(left) === null ? left.map((one, index) => ({ ...one, is_primary: index === 0 })) : left;
}
