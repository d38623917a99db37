/** A failure that sets its own retry time, or forbids a retry. Other errors follow the job's retry rule. */
export class JobFailure extends Error {
  override name = "JobFailure";
  /** Milliseconds before the next attempt; null for no further attempt. */
  readonly retryAfter: number | null;

  constructor(message: string, retryAfter: number | null = null, options?: ErrorOptions) {
    super(message, options);
    this.retryAfter = retryAfter;
  }
}
