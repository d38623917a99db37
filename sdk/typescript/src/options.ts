/** How a client reaches the service. */
export interface KantoorOptions {
  /** Address of the organisation, such as `https://agency.example`; `/api/v1` is added. */
  baseUrl: string;
  /** A personal key or one of a service account: `kt_…`. */
  apiKey?: string;
  /** An access token of OAuth, or a function that returns the current one. */
  accessToken?: string | (() => string | Promise<string>);
  /** Attempts after the first; 2 by default. */
  maxRetries?: number;
  /** Milliseconds until the headers of an answer, per attempt; 60,000 by default. */
  timeout?: number;
  /** Longest `Retry-After`, in milliseconds, that the client waits for; 60,000 by default. A longer one is thrown as `RateLimitError`. */
  longestWait?: number;
  /** Headers of every call. */
  headers?: Readonly<Record<string, string>>;
  /** The fetch to call with; the global one by default. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** Options of one call. */
export interface CallOptions {
  /** Aborts the call, its retries and its waits. */
  signal?: AbortSignal;
  timeout?: number;
  maxRetries?: number;
  headers?: Readonly<Record<string, string>>;
}

/** Options of a write that can be repeated safely. */
export interface WriteOptions extends CallOptions {
  /** Own key for repeating the call from another process; the client makes one for its retries otherwise. Valid for 24 hours. */
  idempotencyKey?: string;
}

/** Options of a change of one row. */
export interface ChangeOptions extends WriteOptions {
  /** The row as it was read by `get`, or its entity tag: the change is refused with `ChangedError` if the row has changed since. */
  ifMatch?: string | object;
}

/** Options of a read of a file. */
export interface AllOptions extends ChangeOptions {
  lastEventId?: string;
}
