/** What a token request presents beside its client. */
export interface Presented {
  /** The client's row. */
  clientId: string | null;
  redirectUri?: string;
  /** Whether the verifier is the one of the code's challenge. */
  verifierFits?: boolean;
  resource: string | null;
}

/** A code as it stands. */
export interface Code {
  clientId: string;
  redirectUri: string;
  resource: string | null;
  isRedeemed: boolean;
  isUnexpired: boolean;
  isOwnerLive: boolean;
}

/** A refresh token as it stands. */
export interface RefreshToken {
  clientId: string;
  resource: string | null;
  isRotated: boolean;
  /** Whether that was a moment ago, so that the answer may have been lost. */
  inGrace: boolean;
  isSuccessorUnused: boolean;
  isUnexpired: boolean;
  isSessionLive: boolean;
  isOwnerLive: boolean;
}

/**
 * What becomes of a request for a token (access §8.4): `good` is granted, `again` answered as before, `replayed` refused with the session
 * revoked, `wrong_target` and `refused` refused.
 */
export type Outcome = "good" | "again" | "replayed" | "refused" | "wrong_target";

const targets = (asked: string | null, recorded: string | null) => asked === null || asked === recorded;

/** A code that is presented. One that was redeemed already is in two hands, whichever of them came first (RFC 9700 §4.5). */
export function codeOutcome(code: Code, { clientId, redirectUri, verifierFits, resource }: Presented): Outcome {
  if (code.clientId !== clientId) return "refused";
  if (code.isRedeemed) return "replayed";
  const fits = code.redirectUri === redirectUri && verifierFits === true;
  if (!code.isUnexpired || !code.isOwnerLive || !fits) return "refused";
  return targets(resource, code.resource) ? "good" : "wrong_target";
}

/** A refresh token that is presented. A rotated one is answered again for a lost response; any other use of it is theft (RFC 9700 §4.14). */
export function refreshOutcome(token: RefreshToken, { clientId, resource }: Presented): Outcome {
  if (token.clientId !== clientId) return "refused";
  const again = token.isRotated && token.inGrace && token.isSuccessorUnused;
  if (token.isRotated && !again) return "replayed";
  if (!token.isUnexpired || !token.isSessionLive || !token.isOwnerLive) return "refused";
  if (!targets(resource, token.resource)) return "wrong_target";
  return again ? "again" : "good";
}
