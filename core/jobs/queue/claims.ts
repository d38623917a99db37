/** Each fourth claim of a name is by time alone, so that the work of clocks goes on while people ask for more. */
const BY_TIME = 4;

/** Counts the claims of jobs, by name. */
export class Claims {
  readonly #made = new Map<string, number>();

  /** Counts a claim. Returns whether it takes the longest due jobs, rather than those that people wait for. */
  isByTime(name: string): boolean {
    const made = (this.#made.get(name) ?? 0) + 1;
    this.#made.set(name, made);
    return made % BY_TIME === 0;
  }
}
