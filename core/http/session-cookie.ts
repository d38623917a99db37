import { hostCookie, setHostCookie } from "./host-cookie.ts";

/** Lifetime of an unused session, in seconds: 7 days (access §1.1). */
export const SESSION_SECONDS = 604_800;

const NAME = "kantoor_session";

const GRANT = "kantoor_impersonation";

/** Headers of a sign-out: the browser drops what it has cached of this host's answers (W3C Clear Site Data §3.1). Only https has it. */
export const FORGOTTEN = { "Clear-Site-Data": '"cache"' } as const;

/** Name of the session cookie. */
export const sessionCookie = (scheme: "http" | "https"): string => hostCookie(NAME, scheme);

/** The `Set-Cookie` value of a session. */
export const setSessionCookie = (value: string, maxAge = SESSION_SECONDS): string => setHostCookie(NAME, value, maxAge);

/** Name of the additional cookie for impersonating a client login (access §11.3). */
export const grantCookie = (scheme: "http" | "https"): string => hostCookie(GRANT, scheme);

/** The `Set-Cookie` value of an impersonation grant. @param maxAge seconds, 0 to expire it */
export const setGrantCookie = (value: string, maxAge: number): string => setHostCookie(GRANT, value, maxAge);
