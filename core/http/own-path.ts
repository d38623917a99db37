/** An address on this site to go on with, else `fallback`: signing in never leads elsewhere. */
export function ownPath(next: string | null, fallback: string): string {
  if (next === null || !/^\/(?![/\\])/.test(next)) return fallback;
  if (![...next].every((character) => character >= " " && character !== "\u007f")) return fallback;
  // A header carries ASCII only; what is encoded already stays as it is.
  return next.toWellFormed().replaceAll(/[^ -~]+/g, encodeURIComponent);
}
