/** A person on the roster of a task, or who commented on it before. */
export interface Participant {
  readonly id: string;
  /** Whether the person opened the thread or answered in it. */
  readonly in_thread: boolean;
}

/** Recipients of a new comment by kind of event; no person is in two lists. */
export interface Audience {
  readonly mentioned: string[];
  readonly replied: string[];
  readonly commented: string[];
}

/**
 * Assigns each recipient of a comment one event (work chapter §3.8): first the mentioned, then the rest of the thread, then the roster and
 * earlier commenters. The writer gets none.
 * @param writer the writer's account; null if the writer is not a person
 */
export function audienceOf(writer: string | null, mentioned: readonly string[], participants: readonly Participant[]): Audience {
  const others = participants.filter(({ id }) => id !== writer && !mentioned.includes(id));
  const idsOf = (people: readonly Participant[]) => people.map(({ id }) => id);
  return {
    mentioned: mentioned.filter((id) => id !== writer),
    replied: idsOf(others.filter(({ in_thread }) => in_thread)),
    commented: idsOf(others.filter(({ in_thread }) => !in_thread)),
  };
}
