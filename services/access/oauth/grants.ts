/** The contents of a token request, with its client. */
export interface Presented {
  /** The client's row. */
  clientId: string | null;
  redirectUri?: string;
  /** Whether the verifier matches the code's challenge. */
  verifierFits?: boolean;
  resource: string | null;
}

/** The state of a code. */
export interface Code {
  clientId: string;
  redirectUri: string;
  resource: string | null;
  isRedeemed: boolean;
  isUnexpired: boolean;
  isOwnerLive: boolean;
}

/** The state of a refresh token. */
export interface RefreshToken {
  clientId: string;
  resource: string | null;
  isRotated: boolean;
  /** Whether it rotated moments ago, so that the client may have missed the answer. */
  inGrace: boolean;
  isSuccessorUnused: boolean;
  isUnexpired: boolean;
  isSessionLive: boolean;
  isOwnerLive: boolean;
}

/**
 * The outcome of a token request (access §8.4): `good` issues tokens, `again` repeats the earlier answer, `replayed` refuses and revokes
 * the session, `wrong_target` and `refused` refuse.
 */
export type Outcome = "good" | "again" | "replayed" | "refused" | "wrong_target";

const targets = (asked: string | null, recorded: string | null) => asked === null || asked === recorded;

/** Judges a presented code. A redeemed one has leaked, whoever redeemed it first (RFC 9700 §4.5). */
export function codeOutcome(code: Code, { clientId, redirectUri, verifierFits, resource }: Presented): Outcome {
  if (code.clientId !== clientId) return "refused";
  if (code.isRedeemed) return "replayed";
  const fits = code.redirectUri === redirectUri && verifierFits === true;
  if (!code.isUnexpired || !code.isOwnerLive || !fits) return "refused";
  return targets(resource, code.resource) ? "good" : "wrong_target";
}

/**
 * Judges a presented refresh token. A rotated one repeats its answer if that may have been lost; any other reuse is theft (RFC 9700 §4.14).
 */
export function refreshOutcome(token: RefreshToken, { clientId, resource }: Presented): Outcome {
  if (token.clientId !== clientId) return "refused";
  const again = token.isRotated && token.inGrace && token.isSuccessorUnused;
  if (token.isRotated && !again) return "replayed";
  if (!token.isUnexpired || !token.isSessionLive || !token.isOwnerLive) return "refused";
  if (!targets(resource, token.resource)) return "wrong_target";
  return again ? "again" : "good";
}
