/** One attempt of a provider call, for logs, metrics and traces. It contains no address, header or body. */
export interface CallTrace {
  provider: string;
  account: string;
  operation: string;
  method: string;
  requestId: string | null;
  attempt: number;
  /** Status of the response; null without one. */
  status: number | null;
  /** The kind of failure; null if the provider gave a usable response. */
  failure: string | null;
  /** Start in milliseconds since 1970, and duration. */
  began: number;
  milliseconds: number;
}

type Listener = (trace: CallTrace) => void;
const listeners = new Set<Listener>();

/** Reports every provider call of this process. @returns stops the reports */
export function onCall(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function notifyListeners(trace: CallTrace): void {
  for (const listener of listeners) listener(trace);
}
