import { USES, type Use } from "./services.ts";

interface Stoppable {
  stop(): Promise<void>;
}

/** A resource that the test files of one process can share. */
export type Sharing = Extract<Use, "world" | "clock" | "plain">;

let kept: { name: Sharing; running: Stoppable } | null = null;
let uses = new Set<Use>();
let since: Date | null = null;

/** Notes when the running file got a service that others used before it, by the clock of its database. */
export const noteSharing = (moment: Date): void => void (since ??= moment);
/** When the running file first got a shared service; null before that. */
export const sharedSince = (): Date | null => since;

/** Notes how the running file gets its service. */
export const noteUse = (use: Use): void => void uses.add(use);

/** How the files since the last call got their service; null without one. */
export function takeUse(): Use | null {
  const taken = USES.find((use) => uses.has(use)) ?? null;
  [uses, since] = [new Set(), null];
  return taken;
}

/**
 * A resource that test files of one process share; the first file that asks starts it. It runs until a file asks for another one or shares
 * nothing, or the process has run its last file: a process has one service at a time.
 */
export async function shared<T extends Stoppable>(name: Sharing, start: () => Promise<T>): Promise<T> {
  const before = new Set(uses);
  if (kept?.name !== name) {
    await endShared();
    kept = { name, running: await start() };
  }
  // Its start is nobody's own.
  uses = before.add(name);
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
