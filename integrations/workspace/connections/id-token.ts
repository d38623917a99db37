const ISSUERS = ["https://accounts.google.com", "accounts.google.com"];

/** The person who gave a grant. */
export interface GooglePerson {
  /** Google's id of the person, which does not change with the address. */
  subject: string;
  email: string;
}

/**
 * The person in an ID token. TLS from the token endpoint replaces the signature check (OpenID Connect Core §3.1.3.7, 6); issuer, audience
 * and expiry are checked.
 * @param now milliseconds since 1970
 * @returns null if a check fails, or the subject or address is missing
 */
export function personIn(idToken: string | null, clientId: string, now: number): GooglePerson | null {
  const [, payload = ""] = idToken?.split(".") ?? [];
  let claims: Record<string, unknown>;
  try {
    claims = JSON.parse(Buffer.from(payload, "base64url").toString());
  } catch {
    return null;
  }
  const { sub, email, iss, aud, exp } = claims ?? {};
  const isOurs = ISSUERS.includes(String(iss)) && aud === clientId && typeof exp === "number" && exp * 1000 > now;
  if (!isOurs || typeof sub !== "string" || sub === "" || typeof email !== "string" || email === "") return null;
  return { subject: sub, email };
}
