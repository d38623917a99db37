/** `next` if it is a path on this site, otherwise `fallback`: signing in never redirects elsewhere. */
export function ownPath(next: string | null, fallback: string): string {
  if (next === null || !/^\/(?![/\\])/.test(next)) return fallback;
  if (![...next].every((character) => character >= " " && character !== "\u007f")) return fallback;
  // An address has neither spaces nor these characters (RFC 3986 §2); text that is already encoded stays unchanged.
  return next.toWellFormed().replaceAll(/[^!-~]+|["<>\\^`{|}]+/g, encodeURIComponent);
}
