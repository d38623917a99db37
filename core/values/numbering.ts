/** Longest number of a client or document, in characters. */
export const LONGEST_NUMBER = 40;
/** Maximum candidates before numbering gives up. */
export const MOST_CANDIDATES = 1000;
const TOKEN = /\{([^{}]*)\}/g;
const SEQUENCE = /^seq(?::(\d{1,2}))?$/;

/** Renders a number format: `{year}`, `{yy}`, `{seq}`, `{seq:N}` zero-padded to N; padding never truncates. */
export function renderNumber(format: string, year: number, sequence: number): string {
  return format.replace(TOKEN, (whole, token: string) => {
    if (token === "year") return String(year).padStart(4, "0");
    if (token === "yy") return String(year % 100).padStart(2, "0");
    const match = SEQUENCE.exec(token);
    return match ? String(sequence).padStart(Number(match[1] ?? 0), "0") : whole;
  });
}

/** Whether a number is short enough to store. */
export const fitsNumber = (number: string): boolean => [...number].length <= LONGEST_NUMBER;

/** Whether a format is valid: not blank, exactly one sequence token, only known tokens and no stray brace. */
export function isNumberFormat(format: string): boolean {
  if (format.trim() === "") return false;
  const tokens = [...format.matchAll(TOKEN)].map(([, token = ""]) => token);
  const sequences = tokens.filter((token) => SEQUENCE.test(token));
  const known = tokens.every((token) => token === "year" || token === "yy" || SEQUENCE.test(token));
  return sequences.length === 1 && known && !/[{}]/.test(format.replace(TOKEN, ""));
}
