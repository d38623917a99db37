/**
 * A redirect URI with parameters behind its own query, the rest of it byte for byte as it was registered (RFC 6749 §3.1.2).
 * @param parameters those that are undefined or null are left out
 */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | null | undefined>>): string {
  const added = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value != null) added.set(name, value);
  const joint = !uri.includes("?") ? "?" : /[?&]$/.test(uri) ? "" : "&";
  return `${uri}${joint}${added}`;
}
