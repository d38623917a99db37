import { ECDH } from "node:crypto";
import { invalid } from "../../../core/errors/errors.ts";

/** Base64 in either alphabet, as browsers and libraries encode keys. */
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
/** Octets of the secret a browser creates per subscription (RFC 8291 §3.2). */
const SECRET_OCTETS = 16;
/** Octets of an uncompressed point on the curve (RFC 8291 §3.1). */
const POINT_OCTETS = 65;

const octetsOf = (text: string): Buffer => (BASE64.test(text) ? Buffer.from(text, "base64url") : Buffer.alloc(0));

/** Whether the octets are an uncompressed point on P-256: encryption works only for such a key. */
function isPoint(octets: Buffer): boolean {
  if (octets.length !== POINT_OCTETS || octets[0] !== 4) return false;
  try {
    ECDH.convertKey(octets, "prime256v1", undefined, undefined, "uncompressed");
    return true;
  } catch {
    return false;
  }
}

/**
 * Rejects browser keys that no message could be encrypted with (RFC 8291 §3).
 * @throws 422 on `p256dh` and `auth`
 */
export function requireBrowserKeys({ p256dh, auth }: { p256dh: string; auth: string }): void {
  const refused = {
    ...(!isPoint(octetsOf(p256dh)) && { p256dh: "errors.validation" }),
    ...(octetsOf(auth).length !== SECRET_OCTETS && { auth: "errors.validation" }),
  };
  if (Object.keys(refused).length > 0) throw invalid(refused);
}
