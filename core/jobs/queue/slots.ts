/** Most jobs of clocks that a node runs at once, of all names: they share its connections with requests and with what people wait for. */
const CLOCKS_AT_ONCE = 20;
/** Each fourth claim of a name is by time alone, so that the work of clocks goes on while people ask for more. */
const BY_TIME = 4;

interface Host {
  slotsOf(name: string): number;
  isClock(name: string): boolean;
}

/** The free slots of a node: each name has its own, and all clocks share some. */
export class Slots {
  readonly #host: Host;
  readonly #held: ReadonlyMap<string, { name: string }>;
  readonly #claims = new Map<string, number>();
  /** Slots that running claims may fill with jobs of clocks. */
  #claimed = 0;

  /** @param held the jobs that this node has locked */
  constructor(host: Host, held: ReadonlyMap<string, { name: string }>) {
    this.#host = host;
    this.#held = held;
  }

  /** The slots of a name that no held job has; a clock's are also limited by those of all clocks. */
  room(name: string): number {
    const isClock = this.#host.isClock(name);
    let room = this.#host.slotsOf(name);
    let clocks = CLOCKS_AT_ONCE - this.#claimed;
    for (const held of this.#held.values()) {
      if (held.name === name) room -= 1;
      if (isClock && this.#host.isClock(held.name)) clocks -= 1;
    }
    return isClock ? Math.min(room, clocks) : room;
  }

  /**
   * Claims at most `most` jobs of a name, whose slots no other clock gets meanwhile.
   * @param claim receives whether this claim is by time alone
   */
  async claim<T>(name: string, most: number, claim: (byTime: boolean) => Promise<readonly T[]>): Promise<readonly T[]> {
    const claims = (this.#claims.get(name) ?? 0) + 1;
    this.#claims.set(name, claims);
    const reserved = this.#host.isClock(name) ? most : 0;
    this.#claimed += reserved;
    try {
      return await claim(claims % BY_TIME === 0);
    } finally {
      this.#claimed -= reserved;
    }
  }
}
