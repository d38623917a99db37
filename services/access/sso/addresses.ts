/** The provider's redirect address, on the request's host (conventions §2). */
export const callbackAddress = (origin: string): string => `${origin}/api/v1/auth/oidc/callback`;

/** The sign-in page with the error and the original destination. */
export function refusedAddress(error: "oidc" | "oidc_no_access", next: string | null): string {
  return `/login?${new URLSearchParams({ error, ...(next !== null && { next }) })}`;
}
