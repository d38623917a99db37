/**
 * Appends parameters to the query of a redirect URI, leaving the rest byte for byte as registered (RFC 6749 §3.1.2).
 * @param parameters undefined and null values are omitted
 */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | null | undefined>>): string {
  const added = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value != null) added.set(name, value);
  const joint = !uri.includes("?") ? "?" : /[?&]$/.test(uri) ? "" : "&";
  return `${uri}${joint}${added}`;
}
