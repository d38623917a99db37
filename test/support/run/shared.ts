interface Stoppable {
  stop(): Promise<void>;
}

let kept: { name: string; running: Stoppable } | null = null;

/**
 * A resource that test files of one process share; the first file that asks starts it. It runs until a file asks for another one or shares
 * nothing, or the process has run its last file: a process has one service at a time.
 */
export async function shared<T extends Stoppable>(name: string, start: () => Promise<T>): Promise<T> {
  if (kept?.name !== name) {
    await endShared();
    kept = { name, running: await start() };
  }
  return kept.running as T;
}

/** Whether this process still shares it. */
export const isShared = (running: Stoppable): boolean => kept?.running === running;

/** Stops the shared resource, if any. */
export async function endShared(): Promise<void> {
  const ending = kept;
  kept = null;
  await ending?.running.stop();
}
