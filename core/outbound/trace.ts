/** One attempt of a provider call, for logs, metrics and traces. It holds no address, header or body. */
export interface CallTrace {
  provider: string;
  account: string;
  operation: string;
  method: string;
  requestId: string | null;
  attempt: number;
  /** Status of the answer; null when there was none. */
  status: number | null;
  /** What went wrong, null for an answer that is none of the provider's failures. */
  failure: string | null;
  /** Milliseconds since 1970, and how long it took. */
  began: number;
  milliseconds: number;
}

type Listener = (trace: CallTrace) => void;
const listeners = new Set<Listener>();

/** Tells of every call of this process. @returns stops it */
export function onCall(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function tell(trace: CallTrace): void {
  for (const listener of listeners) listener(trace);
}
