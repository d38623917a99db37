/** Formats every workbook knows by number (ECMA-376 part 1 §18.8.30), as far as they are those of dates and times. */
const DATE_IDS = new Set([
  14, 15, 16, 17, 18, 19, 20, 21, 22, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 45, 46, 47, 50, 51, 52, 53, 54, 55, 56, 57, 58,
]);

/** How a style shows numbers. */
export interface NumberFormat {
  /** A number is a day, or a moment. */
  isDate: boolean;
  /** The format's own text where a number is shown by filling up its digits, else undefined. */
  digits?: string;
}

export const GENERAL: NumberFormat = { isDate: false };

/** What a style's format is. @param code the text of a format the workbook brings itself */
export function formatOf(id: number, code: string | undefined): NumberFormat {
  if (code === undefined) return DATE_IDS.has(id) ? { isDate: true } : GENERAL;
  if (isDateCode(code)) return { isDate: true };
  return isFilledUp(code) ? { isDate: false, digits: code } : GENERAL;
}

/** Longest format there is, and most brackets in one: what is longer is none. */
const MOST_IN_FORMAT = 255;

/** Whether a format's text is one at all. */
export const isFormat = (code: string): boolean => code.length <= 4 * MOST_IN_FORMAT && (code.match(/\[/g)?.length ?? 0) <= 64;

const isDateCode = (code: string): boolean =>
  code !== "General" && /[ymdhs]/i.test(code.replace(/\[[^\]]*\]|"[^"]*"|\\./g, "").replace(/General/gi, ""));

/**
 * Whether a format only fills digits up, with what stands between them: `00000`, `0000-0000`, `"K-"0000`, `0000" AB"`. One with a
 * separator of thousands or decimals, a percentage or colours shows an amount, whose value is the number.
 */
const isFilledUp = (code: string): boolean =>
  /^(?:0|[-() /]|\\.|"[^"]*")+$/.test(code) && code.replace(/\\.|"[^"]*"/g, "").includes("00");

/** A whole number as such a format shows it. Undefined for one it does not fit. */
export function filledUp(value: number, code: string): string | undefined {
  if (!Number.isSafeInteger(value) || value < 0) return undefined;
  const signs = code.match(/\\.|"[^"]*"|./g) ?? [];
  const places = signs.filter((sign) => sign === "0").length;
  const digits = String(value).padStart(places, "0");
  // What is longer than the format stands before its first digit.
  const extra = digits.length - places;
  let next = 0;
  return signs
    .map((sign) => {
      if (sign !== "0") return sign.startsWith("\\") ? sign.slice(1) : sign.replaceAll('"', "");
      const from = next === 0 ? 0 : next + extra;
      next += 1;
      return digits.slice(from, next + extra);
    })
    .join("");
}
