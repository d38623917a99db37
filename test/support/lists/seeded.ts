/** A random source that returns the same numbers in every run. */
export interface Seeded {
  /** From 0 to 1, excluding 1. */
  random(): number;
  /** One of the items, with equal probability. */
  pick<T>(items: readonly T[]): T;
  /** One of the items by its share; the last item gets the remainder. */
  weighed<T>(shares: readonly (readonly [T, number])[]): T;
}

/** Mulberry32. */
export function seeded(seed: number): Seeded {
  let state = seed;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  return {
    random,
    pick,
    weighed(shares) {
      let left = random();
      for (const [item, share] of shares) if ((left -= share) < 0) return item;
      return (shares.at(-1) as (typeof shares)[0])[0];
    },
  };
}
