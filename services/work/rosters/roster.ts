import { type Assignee, nextRoster, primaryOf, readRoster, type SentAssignees, sameRoster } from "../../../core/rules/roster.ts";

interface SentRoster {
  readonly assignees?: SentAssignees | null | undefined;
}

/** A roster of one starred person; empty for null. */
const only = (id: string | null): Assignee[] => (id === null ? [] : [{ user_id: id.toLowerCase(), is_primary: true }]);

/**
 * The roster from the body that creates a project or task: `assignees`, else the one person of the mirror field. Null if the body has
 * neither, so that the roster is inherited. A null field counts as absent, `[]` as an empty roster (work chapter §2.1, §3.3).
 * @param mirror the body's `responsible_user_id` or `assignee_user_id`
 * @throws 400 `multiple_primary_assignees`
 */
export function createdRoster({ assignees }: SentRoster, mirror: string | null | undefined): Assignee[] | null {
  if (assignees) return readRoster(assignees);
  return mirror ? only(mirror) : null;
}

/**
 * A project's roster after an update, or null if unchanged: `responsible_user_id` alone moves the star and keeps the others (work chapter
 * §2.1).
 * @throws 400 `multiple_primary_assignees`
 */
export function projectRoster(
  before: readonly Assignee[],
  body: SentRoster & { readonly responsible_user_id?: string | null | undefined },
): Assignee[] | null {
  return unlessSame(before, nextRoster(before, body));
}

/**
 * A task's roster after an update, or null if unchanged: `assignees` replaces it; `assignee_user_id` alone hands the task off, so that the
 * roster is exactly that person, or empty for null (work chapter §3.4).
 * @throws 400 `multiple_primary_assignees`
 */
export function taskRoster(
  before: readonly Assignee[],
  { assignees, assignee_user_id: handedTo }: SentRoster & { readonly assignee_user_id?: string | null | undefined },
): Assignee[] | null {
  if (assignees !== undefined) return unlessSame(before, readRoster(assignees ?? []));
  return handedTo === undefined ? null : unlessSame(before, only(handedTo));
}

/** Resending the same roster changes nothing. */
const unlessSame = (before: readonly Assignee[], after: Assignee[] | null): Assignee[] | null =>
  after && !sameRoster(before, after) ? after : null;

/** The difference between two rosters. */
export interface RosterChange {
  /** Ids new on the roster, in its order. */
  readonly added: string[];
  /** Ids no longer on it. */
  readonly removed: string[];
  /** The mirror field before and after: the starred person or null. */
  readonly from: string | null;
  readonly to: string | null;
  /** Whether only people without the star changed: the activity then lists `assignees` (work chapter §3.4). */
  readonly others_only: boolean;
}

/** The difference between the rosters before and after a write. */
export function rosterChange(before: readonly Assignee[], after: readonly Assignee[]): RosterChange {
  const missing = (from: readonly Assignee[], roster: readonly Assignee[]) =>
    from.filter(({ user_id }) => !roster.some((person) => person.user_id === user_id)).map(({ user_id }) => user_id);
  const [from, to] = [primaryOf(before), primaryOf(after)];
  const added = missing(after, before);
  const removed = missing(before, after);
  return { added, removed, from, to, others_only: from === to && added.length + removed.length > 0 };
}
