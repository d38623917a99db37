/** What waits for its turn. */
interface Waiting {
  readonly organisation: string;
  begin(): void;
  refuse(): void;
}

/** The limits of {@link Turns}. */
export interface TurnLimits {
  /** Turns at a time. One more is for an organisation that has none, so that it need not wait for the end of another's document. */
  readonly concurrency: number;
  /** How many may wait. */
  readonly mostWaiting: number;
}

/**
 * Turns at something that few can use at a time, fair between organisations: the next turn goes to the one that has the fewest, and among
 * these to the one whose last turn is the longest ago. A full queue refuses the newest of the organisation that fills it.
 */
export class Turns {
  readonly #limits: TurnLimits;
  readonly #running = new Map<string, number>();
  /** Organisations by their last turn, the longest ago first; those that nothing waits for and that have none are forgotten. */
  readonly #served = new Set<string>();
  #taken = 0;
  #waiting: Waiting[] = [];

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /** Turns that are taken. */
  get taken(): number {
    return this.#taken;
  }

  /** Waits for a turn, which `over` gives back. Rejects with the error of `refusal` if too many wait. */
  take(organisation: string, refusal: () => Error): Promise<void> {
    if (this.#fits(organisation)) {
      this.#begin(organisation);
      return Promise.resolve();
    }
    if (this.#waiting.length >= this.#limits.mostWaiting && !this.#makeRoom(organisation)) return Promise.reject(refusal());
    return new Promise((resolve, reject) => {
      const begin = () => {
        this.#begin(organisation);
        resolve();
      };
      this.#waiting.push({ organisation, begin, refuse: () => reject(refusal()) });
    });
  }

  /** Ends a turn, and begins the next. */
  over(organisation: string): void {
    this.#taken -= 1;
    const left = this.#turnsOf(organisation) - 1;
    if (left > 0) this.#running.set(organisation, left);
    else this.#running.delete(organisation);
    const next = this.#next();
    if (!next) {
      this.#forget();
      return;
    }
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    next.begin();
  }

  /** Refuses all that wait. */
  refuseWaiting(): void {
    for (const { refuse } of this.#waiting.splice(0)) refuse();
  }

  #turnsOf(organisation: string): number {
    return this.#running.get(organisation) ?? 0;
  }

  #fits(organisation: string): boolean {
    const { concurrency } = this.#limits;
    return this.#taken < concurrency || (this.#taken === concurrency && this.#turnsOf(organisation) === 0);
  }

  #begin(organisation: string): void {
    this.#taken += 1;
    this.#running.set(organisation, this.#turnsOf(organisation) + 1);
    this.#served.delete(organisation);
    this.#served.add(organisation);
  }

  #next(): Waiting | undefined {
    const age = new Map([...this.#served].map((organisation, index) => [organisation, index]));
    const order = ({ organisation }: Waiting) => [this.#turnsOf(organisation), age.get(organisation) ?? -1] as const;
    const before = (one: Waiting, other: Waiting) => {
      const [[turns, last], [otherTurns, otherLast]] = [order(one), order(other)];
      return turns - otherTurns || last - otherLast;
    };
    return this.#waiting.filter(({ organisation }) => this.#fits(organisation)).toSorted(before)[0];
  }

  /** Refuses the newest of the organisation that most wait for, unless that is the newcomer's. */
  #makeRoom(newcomer: string): boolean {
    const lines = Map.groupBy(this.#waiting, ({ organisation }) => organisation);
    const longest = [...lines.values()].reduce((one, other) => (other.length > one.length ? other : one), []);
    if (longest.length <= (lines.get(newcomer)?.length ?? 0) + 1) return false;
    const last = longest.at(-1) as Waiting;
    this.#waiting.splice(this.#waiting.indexOf(last), 1);
    last.refuse();
    return true;
  }

  #forget(): void {
    for (const organisation of this.#served) if (!this.#running.has(organisation)) this.#served.delete(organisation);
  }
}
