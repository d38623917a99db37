/** The values that subject and text of a notice may name, in braces. */
export const PLACEHOLDERS: readonly string[] = [
  ...["name", "company", "brand", "number", "date", "due_date", "days"],
  ...["outstanding", "interest", "fees", "costs", "total", "pay_by"],
];

const BRACED = /\{([^{}]*)\}/g;

/** Whether a text names known values only. */
export const hasKnownPlaceholders = (text: string): boolean =>
  [...text.matchAll(BRACED)].every(([, name = ""]) => PLACEHOLDERS.includes(name));

/** A text with its placeholders filled in; a value without content leaves nothing. */
export const filledIn = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(BRACED, (_, name: string) => values[name] ?? "").replaceAll(/ +([,.])/g, "$1");
