/** The limits of {@link Turns}. */
export interface TurnLimits {
  /** Turns at a time. */
  readonly total: number;
  /** Turns of one holder at a time; all of them without. */
  readonly share?: number;
  /** Keeps the last turn for a holder that has none, so that it need not wait for the end of another's work. */
  readonly keepsOne?: boolean;
  /** How many may wait. A newcomer beyond them takes the place of the newest of the holder that most wait for. */
  readonly mostWaiting?: number;
  /** How many of one holder may wait. */
  readonly mostWaitingOfOne?: number;
}

/** What happens to one that waits. */
export interface Wait {
  /** The error that a refused one gets. */
  refusal(): Error;
  /** Milliseconds after which it is refused; for ever without. */
  readonly timeout?: number;
}

interface Waiting {
  begin(): void;
  refuse(): void;
}

/** A holder with turns, or with some that wait for one. */
interface Holder {
  running: number;
  /** When it last got a turn, or first asked for one, as a count of such moments. */
  since: number;
  line: Waiting[];
}

/**
 * Turns at something that few can use at a time, fair between its holders (organisations, accounts of a provider): the next turn goes to the
 * holder that has the fewest, and among these to the one whose last turn is the longest ago. One at its limit holds up no other.
 */
export class Turns {
  readonly #limits: Required<TurnLimits>;
  readonly #holders = new Map<string, Holder>();
  readonly #lines = new Set<Holder>();
  #moments = 0;
  #taken = 0;
  #waiting = 0;

  constructor(limits: TurnLimits) {
    const endless = { share: Infinity, keepsOne: false, mostWaiting: Infinity, mostWaitingOfOne: Infinity };
    this.#limits = { ...endless, ...limits };
  }

  /** Turns that are taken. */
  get taken(): number {
    return this.#taken;
  }

  /** How many wait for a turn. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Takes a turn if there is one now. `over` gives it back. @returns whether it did */
  takes(key: string): boolean {
    const holder = this.#holders.get(key);
    if (!this.#fits(holder)) return false;
    this.#begin(holder ?? this.#add(key));
    return true;
  }

  /** Takes a turn, or waits for one. `over` gives it back. Rejects with the refusal after its timeout, and if too many wait. */
  take(key: string, wait: Wait): Promise<void> {
    if (this.takes(key)) return Promise.resolve();
    const { mostWaiting, mostWaitingOfOne } = this.#limits;
    const holder = this.#holders.get(key) ?? this.#add(key);
    const isFull = holder.line.length >= mostWaitingOfOne || (this.#waiting >= mostWaiting && !this.#makeRoom(holder));
    if (isFull) {
      this.#forget(key, holder);
      return Promise.reject(wait.refusal());
    }
    return new Promise((resolve, reject) => {
      let late: NodeJS.Timeout | undefined;
      const waiting: Waiting = {
        begin: () => {
          clearTimeout(late);
          resolve();
        },
        refuse: () => {
          clearTimeout(late);
          reject(wait.refusal());
        },
      };
      if (wait.timeout !== undefined)
        late = setTimeout(() => {
          this.#leave(holder, waiting);
          this.#forget(key, holder);
          waiting.refuse();
        }, wait.timeout);
      holder.line.push(waiting);
      this.#lines.add(holder);
      this.#waiting += 1;
    });
  }

  /** Ends a turn, and begins the next. */
  over(key: string): void {
    const holder = this.#holders.get(key);
    if (!holder || holder.running === 0) throw new Error(`'${key}' has no turn`);
    this.#taken -= 1;
    holder.running -= 1;
    const next = this.#next();
    if (next) {
      const [first] = next.line as [Waiting];
      this.#leave(next, first);
      this.#begin(next);
      first.begin();
    }
    this.#forget(key, holder);
  }

  /** Refuses all that wait. */
  refuseWaiting(): void {
    const waiting = [...this.#lines].flatMap(({ line }) => line.splice(0));
    this.#lines.clear();
    this.#waiting = 0;
    for (const [key, holder] of this.#holders) this.#forget(key, holder);
    for (const { refuse } of waiting) refuse();
  }

  #fits(holder: Holder | undefined): boolean {
    const { total, share, keepsOne } = this.#limits;
    const running = holder?.running ?? 0;
    return running < share && this.#taken < (keepsOne && running > 0 ? total - 1 : total);
  }

  #add(key: string): Holder {
    const holder = { running: 0, since: this.#moments++, line: [] };
    this.#holders.set(key, holder);
    return holder;
  }

  #begin(holder: Holder): void {
    this.#taken += 1;
    holder.running += 1;
    holder.since = this.#moments++;
  }

  #leave(holder: Holder, waiting: Waiting): void {
    holder.line.splice(holder.line.indexOf(waiting), 1);
    if (holder.line.length === 0) this.#lines.delete(holder);
    this.#waiting -= 1;
  }

  #next(): Holder | undefined {
    let next: Holder | undefined;
    for (const holder of this.#lines) {
      if (!this.#fits(holder)) continue;
      const isBefore = !next || holder.running < next.running || (holder.running === next.running && holder.since < next.since);
      if (isBefore) next = holder;
    }
    return next;
  }

  /** Refuses the newest of the holder that most wait for, unless that is the newcomer. */
  #makeRoom(newcomer: Holder): boolean {
    const longest = [...this.#lines].reduce((one, other) => (other.line.length > one.line.length ? other : one));
    if (longest.line.length <= newcomer.line.length + 1) return false;
    const last = longest.line.at(-1) as Waiting;
    this.#leave(longest, last);
    last.refuse();
    return true;
  }

  #forget(key: string, holder: Holder): void {
    if (holder.running === 0 && holder.line.length === 0) this.#holders.delete(key);
  }
}
