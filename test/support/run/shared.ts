interface Stoppable {
  stop(): Promise<void>;
}

let kept: { name: string; running: Stoppable } | null = null;

/**
 * What test files of one process share, started by the first that asks for it. It runs on until a file asks for another one, does not
 * share at all, or the process has run its last file: a process holds one service at a time.
 */
export async function shared<T extends Stoppable>(name: string, start: () => Promise<T>): Promise<T> {
  if (kept?.name !== name) {
    await endShared();
    kept = { name, running: await start() };
  }
  return kept.running as T;
}

/** Whether it is still what this process shares. */
export const isShared = (running: Stoppable): boolean => kept?.running === running;

/** Stops what is shared, if anything. */
export async function endShared(): Promise<void> {
  const ending = kept;
  kept = null;
  await ending?.running.stop();
}
