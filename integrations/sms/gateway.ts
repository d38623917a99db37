/** A text message as a gateway takes it. */
export interface OutgoingSms {
  /** The same at every attempt: where the gateway takes an idempotency key or a reference, this is it. */
  id: string;
  /** E.164. */
  to: string;
  text: string;
  /** What must not stand in any error text. */
  secrets: readonly string[];
  signal: AbortSignal;
}

/** A service that sends text messages. */
export interface SmsGateway {
  /**
   * Hands a message over.
   * @returns the gateway's own id of it
   * @throws SmsFailure
   */
  send(message: OutgoingSms): Promise<string>;
}

/** A message that was not taken. The text is redacted and may be kept. */
export class SmsFailure extends Error {
  override name = "SmsFailure";
  /** Another attempt would get the same answer. */
  readonly permanent: boolean;
  /** Milliseconds to wait before the next attempt, null when the provider named none. */
  readonly retryAfter: number | null;

  constructor(message: string, permanent: boolean, retryAfter: number | null = null, options?: ErrorOptions) {
    super(message, options);
    this.permanent = permanent;
    this.retryAfter = retryAfter;
  }
}
