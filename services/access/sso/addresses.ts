/** Where the provider sends a person back to: of the host being asked (conventions §2). */
export const callbackAddress = (origin: string): string => `${origin}/api/v1/auth/oidc/callback`;

/** The sign-in page with what went wrong, and where the person wanted to go. */
export function refusedAddress(error: "oidc" | "oidc_no_access", next: string | null): string {
  return `/login?${new URLSearchParams({ error, ...(next !== null && { next }) })}`;
}
