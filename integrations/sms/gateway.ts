/** A text message ready to send. */
export interface OutgoingSms {
  /** The same in every attempt; serves as the gateway's idempotency key or reference, if it accepts one. */
  id: string;
  /** E.164. */
  to: string;
  text: string;
  /** Values that no error text may contain. */
  secrets: readonly string[];
  signal: AbortSignal;
}

/** A service that sends text messages. */
export interface SmsGateway {
  /**
   * Sends a message.
   * @returns the gateway's id for it
   * @throws SmsFailure
   */
  send(message: OutgoingSms): Promise<string>;
}

/** A message the gateway did not accept. The text is redacted and safe to store. */
export class SmsFailure extends Error {
  override name = "SmsFailure";
  /** Whether another attempt would get the same answer. */
  readonly permanent: boolean;
  /** Milliseconds to wait before the next attempt; null if the provider named none. */
  readonly retryAfter: number | null;

  constructor(message: string, permanent: boolean, retryAfter: number | null = null, options?: ErrorOptions) {
    super(message, options);
    this.permanent = permanent;
    this.retryAfter = retryAfter;
  }
}
