const ISSUERS = ["https://accounts.google.com", "accounts.google.com"];

/** The person behind a grant. */
export interface GooglePerson {
  /** Google's id of the person, which stays when the address changes. */
  subject: string;
  email: string;
}

/**
 * The person that an ID token names. It came from the token endpoint itself over TLS, which stands in for its signature (OpenID Connect Core
 * §3.1.3.7, 6); issuer, audience and end are compared.
 * @param now milliseconds since 1970
 * @returns null where subject or address is missing, or the token is for another client
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
