import { runtime } from "../config/runtime.ts";

/** Life of a session without use, in seconds: 7 days (access §1.1). */
export const SESSION_SECONDS = 604_800;

/** Name of the session cookie: `__Host-` wherever the scheme is https, so that no other host can set it (conventions §14). */
export const sessionCookie = (scheme: "http" | "https"): string =>
  scheme === "https" ? "__Host-kantoor_session" : "kantoor_session";

/** The `Set-Cookie` value of a session: host-only, HttpOnly, SameSite=Lax, and Secure wherever the scheme is https. */
export function setSessionCookie(value: string, maxAge = SESSION_SECONDS): string {
  const { scheme } = runtime();
  const parts = [`${sessionCookie(scheme)}=${value}`, "Path=/", "HttpOnly", "SameSite=Lax", `Max-Age=${maxAge}`];
  return [...parts, ...(scheme === "https" ? ["Secure"] : [])].join("; ");
}
