const LONGEST = 64;
/** The key of a name without a letter or digit. */
const NAMELESS = "tone";

/** A name as a key: lower-case, every run of other characters than a-z and 0-9 one dash, none at the ends, at most 64 characters. */
const slugOf = (name: string, longest = LONGEST): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, longest)
    .replace(/-$/, "") || NAMELESS;

/** The key of a new tone: that of its name, with `-2`, `-3` and so on where it is taken (workspace-reporting §1.1). */
export function toneKey(name: string, taken: ReadonlySet<string>): string {
  const plain = slugOf(name);
  if (!taken.has(plain)) return plain;
  for (let number = 2; ; number += 1) {
    const suffix = `-${number}`;
    const key = `${slugOf(name, LONGEST - suffix.length)}${suffix}`;
    if (!taken.has(key)) return key;
  }
}
