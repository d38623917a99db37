import type { StreamEvents } from "../../../core/http/event-stream.ts";
import type { Meta } from "../../../core/request/context.ts";

/** Who a stream is sent to, as far as the stream has to know. */
export interface StreamHolder {
  readonly host: string;
  readonly slug: string | null;
  readonly events: StreamEvents;
  /** Organisation and principal as they were last found; `renew` replaces them. */
  readonly meta: Meta;
  /** When the credential ends, in milliseconds since the epoch; null for one that does not. */
  readonly expiresAt: number | null;
  /**
   * Finds the caller anew, with the rights of this moment.
   * @throws 401, 403, 404 for a caller that would be refused now; 503 when that cannot be known
   */
  renew(): Promise<void>;
}
