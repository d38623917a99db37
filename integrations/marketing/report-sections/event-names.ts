/** The name of an event as sites send it: words of letters and digits, joined by underscores, hyphens or capitals. */
const RAW = /^[\p{L}\p{N}]+(?:[_-]+[\p{L}\p{N}]+)*$/u;

/** A word of a raw name in a sentence: `Booked` becomes `booked`, `PDF` stays. */
const inSentence = (word: string): string => (/^\p{Lu}\p{Ll}/u.test(word) ? word.toLowerCase() : word);

/** The readable form of an event's raw name: `generate_lead` becomes `Generate lead`. A name with spaces or other marks stays as it is. */
export function readableEvent(name: string): string {
  if (!RAW.test(name)) return name;
  const [first = "", ...others] = name
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .split(/[\s_-]+/)
    .map(inSentence);
  return [first.slice(0, 1).toUpperCase() + first.slice(1), ...others].join(" ");
}
