import { runtime } from "../config/runtime.ts";

/** Name of a cookie bound to this host: prefixed with `__Host-` under https, so that no other host can set it (conventions §14). */
export const hostCookie = (name: string, scheme: "http" | "https"): string => (scheme === "https" ? `__Host-${name}` : name);

/**
 * The `Set-Cookie` value of a cookie bound to this host: HttpOnly, SameSite=Lax, and Secure under https.
 * @param maxAge seconds; 0 removes it
 */
export function setHostCookie(name: string, value: string, maxAge: number): string {
  const { scheme } = runtime();
  const parts = [`${hostCookie(name, scheme)}=${value}`, "Path=/", "HttpOnly", "SameSite=Lax", `Max-Age=${maxAge}`];
  return [...parts, ...(scheme === "https" ? ["Secure"] : [])].join("; ");
}
