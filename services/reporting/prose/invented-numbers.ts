import { MULTIPLIERS, spelledNumbers } from "./spelled-numbers.ts";
import { DIGITS, plainDigits, type StandingNumbers } from "./standing-numbers.ts";
import { writtenShares } from "./written-shares.ts";

/** One reading of a written number: its value, and the smallest step its notation shows. */
interface Reading {
  value: number;
  unit: number;
}

/** The unit of a number: `times` may count (`310 keer bekeken`) or multiply, `plain` has no unit of its own. */
type Kind = "percent" | "factor" | "times" | "seconds" | "minutes" | "hours" | "money" | "position" | "plain";

/** Largest relative error of a rounding beyond the unit, or of a truncated number (`over 4,200` for 4,285). */
const MOST_MISSED = 0.1;

/** The readings of digits with separators, in Dutch and English notation. */
function readingsOf(digits: string): Reading[] {
  if (/^\d+$/.test(digits)) return [{ value: Number(digits), unit: 1 }];
  const readings: Reading[] = [];
  for (const [group, point] of [
    [".", ","],
    [",", "."],
  ] as const) {
    const [whole = "", places = "", ...more] = digits.split(point);
    const groups = whole.split(group);
    const isGrouped =
      groups.length === 1 || (/^\d{1,3}$/.test(groups[0] as string) && groups.slice(1).every((part) => /^\d{3}$/.test(part)));
    if (more.length > 0 || !isGrouped || places.includes(group)) continue;
    readings.push({ value: Number(`${groups.join("")}.${places || "0"}`), unit: 10 ** -places.length });
  }
  return readings;
}

/** Whether a reading matches a value exactly, rounded or truncated. */
function isOf({ value, unit }: Reading, standing: number): boolean {
  const miss = Math.abs(value - standing);
  const exact = 1e-9 * Math.max(1, standing);
  if (miss <= exact) return true;
  const isNear = miss <= standing * MOST_MISSED + exact;
  if (miss <= unit / 2 + exact) return unit <= 1 || isNear;
  // 4,300 may be rounded to hundreds: its trailing zeros are not significant.
  let step = unit;
  while (unit >= 1 && value > 0 && value % (step * 10) === 0) step *= 10;
  const isCut = value <= standing && standing - value < step;
  return isNear && (miss <= step / 2 + exact || isCut);
}

const amongst = (reading: Reading, values: readonly number[], scale = 1): boolean =>
  values.some((value) => isOf(reading, value / scale));

/** Whether a number of a kind is one of the snapshot's: each matches its own kind only (workspace-reporting §1.5). */
function stands(reading: Reading, kind: Kind, standing: StandingNumbers): boolean {
  const { counts, decimals, money, percents, ratios, seconds } = standing;
  const isFactor = () =>
    amongst(reading, ratios) ||
    amongst(
      reading,
      ratios.filter(Boolean).map((ratio) => 1 / ratio),
    );
  const isCounted = () => amongst(reading, counts) || amongst(reading, decimals);
  switch (kind) {
    case "percent":
      return amongst(reading, percents);
    case "factor":
      return isFactor();
    case "times":
      return isFactor() || amongst(reading, counts);
    case "seconds":
      return amongst(reading, seconds);
    case "minutes":
      return amongst(reading, seconds, 60) || isCounted();
    case "hours":
      return amongst(reading, seconds, 3600) || isCounted();
    case "money":
      return amongst(reading, money);
    case "position":
      return amongst(reading, decimals);
    default:
      return isCounted();
  }
}

/** A word that makes a multiple of the times before it. */
const MULTIPLIES = "(?:zo\\b|zoveel|meer|hoger|groter|beter|as\\b|more|higher|larger|the\\b)";
/** The units after a number, each with its kind. */
const UNITS: readonly (readonly [Kind, RegExp])[] = [
  ["percent", /^\s?(?:%|procent|percent|per cent)/iu],
  ["factor", /^\s?(?:[×x](?![\p{L}])|-?fold\b|-?voudig?\b)/iu],
  ["factor", new RegExp(`^\\s?(?:keer|maal|times)\\s+${MULTIPLIES}`, "iu")],
  ["times", /^\s?(?:keer\b|maal\b|times\b)/iu],
  ["minutes", /^\s?min(?:uten|uut|utes?|\.)?(?![\p{L}])/iu],
  ["seconds", /^\s?sec(?:onden|onde|onds?|\.)?(?![\p{L}])/iu],
  ["hours", /^\s?(?:uur|uren|hours?)\b/iu],
  ["money", /^\s?(?:euro(?:'?s)?|eur|dollars?|usd|pond|pounds?|gbp|\p{Sc})(?![\p{L}])/iu],
  ["position", /^\s?(?:plek|plaats|positie|place|position|rank)(?![\p{L}])/iu],
];
const CURRENCIES = Intl.supportedValuesOf("currency").join("|");
/** What stands before a number and gives it a kind. */
const BEFORE: readonly (readonly [Kind, RegExp])[] = [
  ["money", new RegExp(`(?:\\p{Sc}|(?<!\\p{L})(?:${CURRENCIES}))\\s?$`, "u")],
  [
    "position",
    /(?<!\p{L})(?:posities?|positions?|plek|plaats|plaatsen|rank(?:ed|ing)?|rang)(?:\s+(?:van|from|op|at|is|was|naar|to|nr\.?|#))?\s*#?$/iu,
  ],
  [
    "position",
    /(?<!\p{L})(?:posities?|positions?|plek|plaats|rank(?:ed)?)\P{N}{0,24}\p{N}[\p{N}.,]*\s*(?:naar|to|tot|–|-)\s*$/iu,
  ],
];

function kindOf(before: string, rest: string): Kind {
  const [kind] = UNITS.find(([, pattern]) => pattern.test(rest)) ?? BEFORE.find(([, pattern]) => pattern.test(before)) ?? [];
  return kind ?? "plain";
}

/** The last word before a number, and the first after it, in lower case; empty without one. */
const wordBefore = (text: string): string => /([\p{L}\p{M}]+)\P{L}{0,2}$/u.exec(text)?.[1]?.toLowerCase() ?? "";
const wordAfter = (text: string): string => /^\P{L}{0,2}([\p{L}\p{M}]+)/u.exec(text)?.[1]?.toLowerCase() ?? "";

/** A name of digits alone counts as a name from this length: shorter ones are days, counts and positions as well. */
const SHORTEST_NAME = 3;

/** Blanks the names of the snapshot that a text has as a whole. */
function withoutNames(text: string, { names }: StandingNumbers): string {
  let rest = text;
  let lower = text.toLowerCase();
  // Lower case may change the length of a text; its positions would then be others.
  if (lower.length !== text.length) return text;
  for (const name of names) {
    if (name.length < SHORTEST_NAME) continue;
    for (let at = lower.indexOf(name); at >= 0; at = lower.indexOf(name, at + name.length)) {
      const isWhole =
        !/(?:[\p{L}\p{N}]|\p{N}[.,])$/u.test(lower.slice(0, at)) &&
        !/^(?:[\p{L}\p{N}]|[.,]\p{N})/u.test(lower.slice(at + name.length));
      if (!isWhole) continue;
      rest = rest.slice(0, at) + " ".repeat(name.length) + rest.slice(at + name.length);
      lower = rest.toLowerCase();
    }
  }
  return rest;
}

/** Whether digits are part of a name of the snapshot: next to the same word as there. */
function isOfName(digits: string, before: string, rest: string, { names }: StandingNumbers): boolean {
  const [left, right] = [wordBefore(before), wordAfter(rest)];
  for (const name of names) {
    for (const match of name.matchAll(DIGITS)) {
      if (match[0] !== digits) continue;
      const [own, next] = [wordBefore(name.slice(0, match.index)), wordAfter(name.slice(match.index + digits.length))];
      if ((own !== "" && own === left) || (next !== "" && next === right)) return true;
    }
  }
  return false;
}

const MONTHS = [
  ["januari", "january", "jan"],
  ["februari", "february", "feb"],
  ["maart", "march", "mrt", "mar"],
  ["april", "apr"],
  ["mei", "may"],
  ["juni", "june", "jun"],
  ["juli", "july", "jul"],
  ["augustus", "august", "aug"],
  ["september", "sept", "sep"],
  ["oktober", "october", "okt", "oct"],
  ["november", "nov"],
  ["december", "dec"],
];
const MONTH_OF = new Map(MONTHS.flatMap((names, index) => names.map((name) => [name, String(index + 1).padStart(2, "0")])));
const MONTH = `(?<month>${[...MONTH_OF.keys()].sort((a, b) => b.length - a.length).join("|")})\\.?(?![\\p{L}])`;
const DAY = "(?<day>\\d{1,2})(?:e|de|ste|st|nd|rd|th)?";
const FIRST = "(?:(?<first>\\d{1,2})(?:e|de|ste|st|nd|rd|th)?\\s*(?:-|–|t/m|tot en met|tot|to|until|through|en|and)\\s*)?";
/** Dates in both languages, most specific form first. */
const DATES = [
  /(?<![\d.,])(?<year>\d{4})-(?<number>\d{2})-(?<day>\d{2})(?![\d])/gu,
  /(?<![\d.,])(?<day>\d{1,2})[-/.](?<number>\d{1,2})[-/.](?<year>\d{4})(?!\d)/gu,
  new RegExp(`(?<![\\p{L}\\d.,])${FIRST}${DAY}\\s+(?:of\\s+)?${MONTH}(?:,?\\s+(?<year>\\d{4})(?!\\d))?`, "giu"),
  new RegExp(`(?<![\\p{L}])${MONTH}\\s+${FIRST}${DAY}(?![\\d]|[.,]\\d)(?:,?\\s+(?<year>\\d{4})(?!\\d))?`, "giu"),
  new RegExp(`(?<![\\p{L}])${MONTH}\\s+(?<year>\\d{4})(?!\\d)`, "giu"),
];

/** A day and a month in digits, as an axis prints them; other numbers are written so as well (`24/7`). */
const SHORT_DATE = /(?<![\d.,/-])(?<day>\d{1,2})[-/](?<number>\d{1,2})(?![\d.,/-]*\d)/gu;

/** Whether the document prints a date of the text; without a day, whether a span includes its month. */
function isStandingDate(
  { year, number, month, day, first }: Record<string, string | undefined>,
  { days, months }: StandingNumbers,
): boolean {
  const at = number?.padStart(2, "0") ?? MONTH_OF.get((month ?? "").toLowerCase());
  if (day === undefined) return months.has(`${year}-${at}`);
  return [day, first].every((one) => {
    if (one === undefined) return true;
    const tail = `-${at}-${one.padStart(2, "0")}`;
    return year === undefined ? [...days].some((text) => text.endsWith(tail)) : days.has(`${year}${tail}`);
  });
}

const CLOCK = /(?<![\d:.,])(\d+):(\d{2})(?::(\d{2}))?(?![\d:])/g;
const LONG_DURATION =
  /(\d+)\s*(?:minuten|minuut|minutes?|min\.?)(?:\s*(?:en|and|,))?\s*(\d+)\s*(?:seconden|seconde|seconds?|sec\.?)(?!\p{L})/giu;
const QUARTER = /(?<!\p{L})(?:[QK]([1-4])|(?:kwartaal|quarter)\s+([1-4]))(?!\d)/giu;
const ORDINAL = /^(?:e|de|ste|st|nd|rd|th)(?!\p{L})/iu;
const MULTIPLIER = /^(?:\s?(duizend|thousand|miljoen|million|mln|miljard|billion|mld|bn)|(k))(?![\p{L}])/iu;
const SMALL = 10;

/**
 * Finds a number in a sentence that is not in the snapshot, in either language's notation, rounded or not (workspace-reporting §1.5). A number
 * is its value with its unit, so an amount, a percentage, a position and a count each match their own kind. Digits inside a word (`GA4`) and
 * inside a name of the snapshot are names. Number words below eleven count only with a unit.
 * @returns the number as written, or null if every number is known
 */
export function inventedNumber(sentence: string, standing: StandingNumbers): string | null {
  const shares = writtenShares(sentence, standing);
  let { invented } = shares;
  let text = withoutNames(plainDigits(shares.rest), standing);
  /** Checks the matches of a pattern and blanks them, so that no part is checked twice. */
  const judge = (pattern: RegExp, isStanding: (match: RegExpExecArray) => boolean): void => {
    text = text.replace(pattern, (...found) => {
      const groups = typeof found.at(-1) === "object" ? (found.pop() as Record<string, string>) : undefined;
      const match = Object.assign(found.slice(0, -2), { groups }) as unknown as RegExpExecArray;
      if (!isStanding(match)) invented ??= match[0];
      return " ".repeat(match[0].length);
    });
  };
  for (const dates of DATES) judge(dates, ({ groups = {} }) => isStandingDate(groups, standing));
  text = text.replace(SHORT_DATE, (found, day: string, number: string) =>
    isStandingDate({ day, number }, standing) ? " ".repeat(found.length) : found,
  );
  const isDuration = (seconds: number) => standing.seconds.some((one) => Math.round(one) === seconds);
  judge(CLOCK, ([, a, b, c]) =>
    isDuration(c === undefined ? Number(a) * 60 + Number(b) : Number(a) * 3600 + Number(b) * 60 + Number(c)),
  );
  judge(LONG_DURATION, ([, minutes, seconds]) => isDuration(Number(minutes) * 60 + Number(seconds)));
  judge(QUARTER, ([, short, long]) => standing.quarters.has(Number(short ?? long)));
  const years = new Set([...standing.months].map((month) => month.slice(0, 4)));
  for (const match of text.matchAll(DIGITS)) {
    const [digits] = match;
    const [before, rest] = [text.slice(0, match.index), text.slice(match.index + digits.length)];
    const [letters = ""] = /[\p{L}_]+$/u.exec(before) ?? [];
    if ((letters !== "" && !/^[A-Z]{3}$/.test(letters)) || years.has(digits)) continue;
    if (isOfName(digits, before, rest, standing)) continue;
    const [multiplied = "", word, short] = MULTIPLIER.exec(rest) ?? [];
    const factor = MULTIPLIERS[(word ?? short ?? "").toLowerCase()] ?? 1;
    const after = rest.slice(multiplied.length).replace(ORDINAL, "");
    const readings = readingsOf(digits).map(({ value, unit }) => ({ value: value * factor, unit: unit * factor }));
    if (!readings.some((reading) => stands(reading, kindOf(before, after), standing))) invented ??= digits;
  }
  const numerals = text.replace(DIGITS, (digits) => "#".repeat(digits.length));
  for (const { text: words, value, end } of spelledNumbers(numerals)) {
    const start = numerals.slice(0, end - words.length);
    const kind = kindOf(start, numerals.slice(end));
    // A multiplier after digits was read with them.
    if (/#\s?$/.test(start) || (value <= SMALL && (kind === "plain" || kind === "times" || kind === "hours"))) continue;
    if (!stands({ value, unit: 1 }, kind, standing)) invented ??= words;
  }
  return invented;
}
