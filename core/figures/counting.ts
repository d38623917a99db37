type Listener = (name: string, labels: Readonly<Record<string, string>>) => void;
const listeners = new Set<Listener>();

/** Reports every count of this process. @returns stops the reports */
export function onCount(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/**
 * Adds 1 to a counter that a module declares in `counters`, if metrics are on. What a transaction counts stays counted if it is rolled back
 * or repeated.
 */
export function count(name: string, labels: Readonly<Record<string, string>> = {}): void {
  for (const listener of listeners) listener(name, labels);
}
