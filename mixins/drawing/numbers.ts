import type { Locale } from "../../core/config/defaults.ts";
import type { ReportTotal, ReportValueKind } from "../../core/declare/report-sections.ts";
import { formatIn, roundIn } from "../../core/values/currencies.ts";
import { decimal } from "../../core/values/money.ts";

const SIGNS: Readonly<Record<string, string>> = { EUR: "€", USD: "$", GBP: "£" };
const MARKS: Readonly<Record<Locale, { group: string; point: string }>> = {
  nl: { group: ".", point: "," },
  en: { group: ",", point: "." },
};
/** Printed for a missing value. */
export const NO_VALUE = "–";
/** The typographic minus, which never breaks from its number. */
const MINUS = "−";
const UNCHANGED: Readonly<Record<Locale, string>> = { nl: "ongewijzigd", en: "unchanged" };
/** A change of this many percent or more prints as a factor (workspace-reporting §1.6). */
const LEAST_FACTOR = 1000;

/** Formats a decimal's text in a language, keeping its decimal places. */
function inMarks(text: string, locale: Locale): string {
  const { group, point } = MARKS[locale];
  const [whole = "0", places] = text.replace("-", "").split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, group);
  const isNegative = text.startsWith("-") && /[1-9]/.test(text);
  return `${isNegative ? MINUS : ""}${grouped}${places === undefined ? "" : point + places}`;
}

/** A number with fixed decimal places, rounded half away from zero: `1.234,5` in Dutch, `1,234.5` in English (workspace-reporting §1.6). */
export const numberText = (value: number, locale: Locale, places: number): string =>
  inMarks(decimal(value).toFixed(places), locale);

/** A duration as `m:ss`, or `h:mm:ss` from an hour on. */
function durationText(seconds: number): string {
  const whole = Math.round(Math.abs(seconds));
  const [hours, minutes, left] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (number: number) => String(number).padStart(2, "0");
  const text = hours > 0 ? `${hours}:${two(minutes)}:${two(left)}` : `${minutes}:${two(left)}`;
  return seconds < 0 && whole > 0 ? MINUS + text : text;
}

function moneyText(value: number, locale: Locale, currency: string): string {
  const amount = inMarks(formatIn(roundIn(value, currency), currency), locale);
  return `${SIGNS[currency] ?? currency} ${amount}`;
}

/**
 * Formats a value for print.
 * @param currency ISO 4217, for money; without one only the amount prints
 */
export function valueText(
  value: string | number | null,
  kind: ReportValueKind,
  { locale, currency }: { locale: Locale; currency?: string | null | undefined },
): string {
  if (value === null || value === "") return NO_VALUE;
  if (typeof value === "string") return value;
  if (!Number.isFinite(value)) return NO_VALUE;
  switch (kind) {
    case "percent":
      return `${numberText(value, locale, 1)}%`;
    case "money":
      return currency ? moneyText(value, locale, currency) : numberText(value, locale, 2);
    case "seconds":
      return durationText(value);
    case "decimal":
      return numberText(value, locale, 1);
    default:
      return numberText(value, locale, 0);
  }
}

/** The printed change of a figure. */
export interface PrintedChange {
  /** `+12,5%`, a factor from 1000 % on: `12,5×`, or `ongewijzigd`. */
  text: string;
  direction: "up" | "down" | "flat";
  /** Whether the change is desirable. */
  meaning: "good" | "bad" | "neutral";
}

/**
 * The change between two values; null if there is no base to compare with (workspace-reporting §1.6). Values that print alike have not
 * changed.
 */
export function changeOf(
  {
    value,
    before,
    kind,
    lowerIsBetter = false,
  }: Pick<ReportTotal, "value" | "before" | "lowerIsBetter"> & { kind: ReportValueKind },
  locale: Locale,
): PrintedChange | null {
  if (value === null || before === null || before === 0 || !Number.isFinite(value) || !Number.isFinite(before)) return null;
  if (valueText(value, kind, { locale }) === valueText(before, kind, { locale }))
    return { text: UNCHANGED[locale], direction: "flat", meaning: "neutral" };
  const percent = decimal(value).minus(before).div(Math.abs(before)).times(100);
  const rounded = Number(percent.toFixed(1));
  const direction = rounded > 0 ? "up" : rounded < 0 ? "down" : "flat";
  const meaning = direction === "flat" ? "neutral" : (direction === "up") === lowerIsBetter ? "bad" : "good";
  if (percent.abs().gte(LEAST_FACTOR) && value / before > 0)
    return { text: `${numberText(value / before, locale, 1)}×`, direction, meaning };
  return { text: `${rounded > 0 ? "+" : ""}${numberText(rounded, locale, 1)}%`, direction, meaning };
}

/** The figures to print: drops missing ones, and those that are zero now and before (workspace-reporting §1.6). */
export const printedTotals = <T extends Pick<ReportTotal, "value" | "before">>(totals: readonly T[]): T[] =>
  totals.filter(({ value, before }) => !(value === null || (value === 0 && before === 0)));
