const LONGEST = 64;
/** The key for a name without a letter or digit. */
const NAMELESS = "tone";

/** A name as a key: lower case, each run of characters other than a-z and 0-9 as one dash, none at the ends, at most 64 characters. */
const slugOf = (name: string, longest = LONGEST): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, longest)
    .replace(/-$/, "") || NAMELESS;

/** The key of a new tone: its name's, with `-2`, `-3` and so on if taken (workspace-reporting §1.1). */
export function toneKey(name: string, taken: ReadonlySet<string>): string {
  const plain = slugOf(name);
  if (!taken.has(plain)) return plain;
  for (let number = 2; ; number += 1) {
    const suffix = `-${number}`;
    const key = `${slugOf(name, LONGEST - suffix.length)}${suffix}`;
    if (!taken.has(key)) return key;
  }
}
