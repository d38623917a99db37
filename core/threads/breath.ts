/** Milliseconds of work after which a long loop lets others have the event loop. A request waits this long at each of its steps. */
const SLICE = 4;

/** The loops that wait to go on, longest first. */
const waiting: (() => void)[] = [];

/** Lets one loop go on. The others wait another turn of the event loop each: ten imports keep it no longer than one. */
function goOn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(goOn);
}

/**
 * The pauses of one long loop: between them it works for a few milliseconds, and in them the process answers others. Whatever loops over
 * the rows of a file or of an answer needs them, because an `await` on a resolved value does not let the event loop serve others.
 */
export class Breath {
  #since = performance.now();

  /** Whether the loop has worked for long enough. */
  get isDue(): boolean {
    return performance.now() - this.#since >= SLICE;
  }

  /** Waits until it is this loop's turn again. */
  async take(): Promise<void> {
    await new Promise<void>((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(goOn);
    });
    this.#since = performance.now();
  }
}

/** The items, one after another, with a pause whenever one is due: for every loop whose length a caller decides. */
export async function* breathing<T>(items: Iterable<T>): AsyncGenerator<T, void, undefined> {
  const breath = new Breath();
  for (const item of items) {
    if (breath.isDue) await breath.take();
    yield item;
  }
}

/** Items that need no pause, so that a short loop stays within its caller's turn. */
const FEW = 200;

/** As `items.flatMap(work)`, with pauses if they are many. */
export function flatMapped<T, U>(items: readonly T[], work: (item: T, index: number) => U | readonly U[]): U[] | Promise<U[]> {
  if (items.length <= FEW) return items.flatMap(work);
  return (async () => {
    const made: U[] = [];
    for await (const [index, item] of breathing(items.entries()))
      for (const one of [work(item, index)].flat() as U[]) made.push(one);
    return made;
  })();
}

/** A list as JSON, with pauses if it is long. */
export function jsonOf(items: readonly unknown[]): string | Promise<string> {
  if (items.length <= FEW) return JSON.stringify(items);
  return (async () => {
    const parts: string[] = [];
    for await (const index of breathing(Array(Math.ceil(items.length / FEW)).keys()))
      parts.push(JSON.stringify(items.slice(index * FEW, (index + 1) * FEW)).slice(1, -1));
    return `[${parts.join()}]`;
  })();
}
