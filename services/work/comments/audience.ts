/** A person on the roster of a task, or who commented on it before. */
export interface Participant {
  readonly id: string;
  /** Whether the person opened the thread or answered in it. */
  readonly in_thread: boolean;
}

/** Who hears what of a new comment; no person is in two of the lists. */
export interface Audience {
  readonly mentioned: string[];
  readonly replied: string[];
  readonly commented: string[];
}

/**
 * Who hears of a comment, each person one thing (work chapter §3.8): the mentioned; of the others those in the thread; then the roster and
 * earlier commenters. The writer hears nothing.
 * @param writer the account of the writer; null for one that is no person
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
