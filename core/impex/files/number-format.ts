/** The built-in date and time formats of every workbook, by number (ECMA-376 part 1 §18.8.30). */
const DATE_IDS = new Set([
  14, 15, 16, 17, 18, 19, 20, 21, 22, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 45, 46, 47, 50, 51, 52, 53, 54, 55, 56, 57, 58,
]);

/** The number format of a style. */
export interface NumberFormat {
  /** Whether a number is a date or time. */
  isDate: boolean;
  /** The format's code if it pads digits; otherwise undefined. */
  digits?: string;
}

export const GENERAL: NumberFormat = { isDate: false };

/** The format of a style. @param code of a format that the workbook defines itself */
export function formatOf(id: number, code: string | undefined): NumberFormat {
  if (code === undefined) return DATE_IDS.has(id) ? { isDate: true } : GENERAL;
  if (isDateCode(code)) return { isDate: true };
  return isFilledUp(code) ? { isDate: false, digits: code } : GENERAL;
}

/** Longest format in Excel, in characters; `isFormat` allows four times that. */
const MOST_IN_FORMAT = 255;

/** Whether a format code has a valid size. */
export const isFormat = (code: string): boolean => code.length <= 4 * MOST_IN_FORMAT && (code.match(/\[/g)?.length ?? 0) <= 64;

const isDateCode = (code: string): boolean =>
  code !== "General" && /[ymdhs]/i.test(code.replace(/\[[^\]]*\]|"[^"]*"|\\./g, "").replace(/General/gi, ""));

/**
 * Whether a format only pads digits, with fixed text between them: `00000`, `0000-0000`, `"K-"0000`, `0000" AB"`. A format with a thousands
 * or decimal separator, a percentage or colours displays an amount, whose value is the number.
 */
const isFilledUp = (code: string): boolean =>
  /^(?:0|[-() /]|\\.|"[^"]*")+$/.test(code) && code.replace(/\\.|"[^"]*"/g, "").includes("00");

/** A whole number as displayed by a padding format; undefined if it does not fit one. */
export function filledUp(value: number, code: string): string | undefined {
  if (!Number.isSafeInteger(value) || value < 0) return undefined;
  const signs = code.match(/\\.|"[^"]*"|./g) ?? [];
  const places = signs.filter((sign) => sign === "0").length;
  const digits = String(value).padStart(places, "0");
  // Excess digits come before the format's first digit.
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
