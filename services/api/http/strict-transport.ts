/**
 * The header that keeps browsers on https for a year (RFC 6797 §6.1, conventions §14). Null under http, where browsers ignore it.
 */
export const strictTransport = (scheme: "http" | "https"): readonly [name: string, value: string] | null =>
  scheme === "https" ? ["Strict-Transport-Security", "max-age=31536000"] : null;
