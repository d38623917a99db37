import { callOutside, OutboundFailed } from "../../outbound/call.ts";
import { OutboundRefused } from "../../outbound/guard/policy.ts";
import { retryAfterSeconds } from "../../outbound/provider/retry.ts";
import { redact } from "../../outbound/redact.ts";

/** How long a push service keeps a message for an offline device, in seconds (platform chapter §5.7). */
const TTL = 4 * 3600;

/** A key pair that identifies the sender to push services (RFC 8292), both keys base64url. */
export interface VapidKeys {
  publicKey: string;
  privateKey: string;
}

/** A registered browser (RFC 8030, RFC 8291). */
export interface PushTarget {
  endpoint: string;
  /** Its public key and its secret, base64url. */
  p256dh: string;
  auth: string;
}

/** The outcome of a push. */
export type Pushed =
  | { state: "taken" }
  /** The device no longer exists and should be forgotten. */
  | { state: "gone" }
  /** The push service's own words, as one redacted line; `retryAfter` in seconds if it named a pause. */
  | { state: "failed"; error: string; retryAfter: number | null };

/** Creates a key pair on P-256. */
export async function newVapidKeys(): Promise<VapidKeys> {
  const { default: webPush } = await import("web-push");
  return webPush.generateVAPIDKeys();
}

let carry: typeof callOutside = callOutside;

/** Replaces the transport of pushes, for example where no push service is reachable. @returns a function that restores it */
export function carryPushesBy(call: typeof callOutside): () => void {
  carry = call;
  return () => {
    carry = callOutside;
  };
}

/**
 * Encrypts a message for a device and sends it to its push service, whose address must be https and public. Returns failures instead of
 * throwing them.
 * @param contact the sender's https address for the push service
 * @param message JSON of at most about 3,900 bytes
 */
export async function push(
  keys: VapidKeys,
  contact: string,
  { endpoint, p256dh, auth }: PushTarget,
  message: string,
  signal?: AbortSignal,
): Promise<Pushed> {
  const failed = (error: string, retryAfter: number | null = null): Pushed => {
    const secrets = [endpoint, endpoint.slice(endpoint.indexOf("/", "https://".length)), p256dh, auth];
    return { state: "failed", error: redact(error, secrets), retryAfter };
  };
  const { default: webPush } = await import("web-push");
  let details: ReturnType<typeof webPush.generateRequestDetails>;
  try {
    details = webPush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, message, {
      vapidDetails: { subject: contact, ...keys },
      TTL,
      contentEncoding: "aes128gcm",
    });
  } catch (error) {
    return failed((error as Error).message);
  }
  try {
    const headers = Object.fromEntries(
      Object.entries(details.headers).flatMap(([name, value]) => (name === "Content-Length" ? [] : [[name, String(value)]])),
    );
    const answer = await carry("push", endpoint, {
      method: "POST",
      headers,
      ...(details.body && { body: details.body }),
      ...(signal && { signal }),
    });
    if (answer.status >= 200 && answer.status < 300) return { state: "taken" };
    if (answer.status === 404 || answer.status === 410) return { state: "gone" };
    const said = answer.body.subarray(0, 2048).toString().trim();
    return failed(`HTTP ${answer.status}${said && `: ${said}`}`, retryAfterSeconds(answer.headers["retry-after"], Date.now()));
  } catch (error) {
    if (error instanceof OutboundRefused || error instanceof OutboundFailed) return failed(error.message);
    throw error;
  }
}
