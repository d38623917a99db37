import type { StreamEvents } from "../../../core/declare/event-stream.ts";
import type { Meta } from "../../../core/declare/principal.ts";

/** The recipient of a stream. */
export interface StreamHolder {
  readonly host: string;
  readonly slug: string | null;
  readonly events: StreamEvents;
  /** Organisation and principal as last resolved; `renew` replaces them. */
  readonly meta: Meta;
  /** Expiry of the credential in milliseconds since the epoch; null if it never expires. */
  readonly expiresAt: number | null;
  /**
   * Resolves the caller again, with current rights.
   * @throws 401, 403, 404 for a caller that would now be refused; 503 if the check is impossible
   */
  renew(): Promise<void>;
}
