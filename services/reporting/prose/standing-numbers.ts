import { type IsoDate, isDate } from "../../../core/calendar/calendar.ts";
import type { ReportSectionData, ReportTable, ReportTotal, ReportValueKind } from "../../../core/declare/report-sections.ts";
import { folded } from "../../../mixins/drawing/fold.ts";
import { SUMMARY } from "../sections/summary.ts";
import type { Snapshot } from "../snapshot.ts";

/** The numbers that prose may use, by their kind: those of the snapshot, and those the document computes from them. All unsigned. */
export interface StandingNumbers {
  counts: number[];
  /** Positions and averages. */
  decimals: number[];
  /** Amounts of money. */
  money: number[];
  /** Percentages, shares and changes. */
  percents: number[];
  /** Values divided by earlier ones: 2 where a value has doubled. */
  ratios: number[];
  /** Durations in seconds. */
  seconds: number[];
  /** Names, search terms and labels with digits, in lower case. */
  names: Set<string>;
  /** The days the document prints. */
  days: Set<IsoDate>;
  /** Months of the spans, `YYYY-MM`. */
  months: Set<string>;
  /** Quarters that a span begins with, 1 to 4. */
  quarters: Set<number>;
}

/** Digits with group and decimal separators. */
export const DIGITS = /\d+(?:[.,]\d+)*/g;

/** Prepares text for number search: digits of every script become ASCII, and separators between groups go. */
export function plainDigits(text: string): string {
  return text
    .replace(/(?<=\d)[\u00a0\u2009\u202f'’](?=\d{3}(?!\d))/g, "")
    .normalize("NFKC")
    .replace(/(?![0-9])\p{Nd}/gu, (digit) => {
      const code = digit.codePointAt(0) as number;
      // A script's digits are ten consecutive code points.
      let zero = code;
      while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
      return String(code - zero);
    });
}

/** The list of each kind of value. */
const LIST_OF = { count: "counts", decimal: "decimals", money: "money", percent: "percents", seconds: "seconds" } as const;

class Gathering {
  /** Whether tables print with a folded tail. */
  readonly #folds: boolean;
  /** Whether the section prints its amounts with a currency; without one they are plain numbers. */
  #hasCurrency = true;
  readonly found: StandingNumbers = {
    counts: [],
    decimals: [],
    money: [],
    percents: [],
    ratios: [],
    seconds: [],
    names: new Set(),
    days: new Set(),
    months: new Set(),
    quarters: new Set(),
  };

  constructor(folds: boolean) {
    this.#folds = folds;
  }

  value(value: string | number | null | undefined, kind: ReportValueKind): void {
    if (typeof value === "string") this.text(value);
    if (typeof value !== "number" || !Number.isFinite(value)) return;
    if (kind !== "text") this.found[kind === "money" && !this.#hasCurrency ? "decimals" : LIST_OF[kind]].push(Math.abs(value));
  }

  text(text: string): void {
    if (isDate(text)) this.found.days.add(text);
    else if (/\p{Nd}/u.test(text)) this.found.names.add(plainDigits(text).toLowerCase());
  }

  total({ label, kind, value, before }: ReportTotal): void {
    for (const text of Object.values(label)) this.text(text);
    this.value(value, kind);
    this.value(before, kind);
    if (value === null || before === null || before === 0) return;
    this.found.percents.push(Math.abs(((value - before) / before) * 100));
    this.found.ratios.push(Math.abs(value / before));
  }

  table(table: ReportTable): void {
    for (const { label } of table.columns) for (const text of Object.values(label)) this.text(text);
    for (const row of [...table.rows, ...(this.#folds ? folded(table, "").rows.slice(-1) : [])])
      for (const [at, { kind }] of table.columns.entries()) this.value(row[at], kind);
  }

  section({
    currency,
    totals,
    series,
    table,
    parts = [],
    final_until: finalUntil,
    stored_from: storedFrom,
  }: ReportSectionData): void {
    this.#hasCurrency = Boolean(currency);
    for (const total of totals) this.total(total);
    if (table) this.table(table);
    for (const part of parts) {
      this.text(part.name);
      for (const total of part.totals) this.total(total);
      if (part.table) this.table(part.table);
    }
    for (const day of [finalUntil, storedFrom]) if (day) this.found.days.add(day);
    if (!series) return;
    const sum = series.points.reduce((whole, { value }) => whole + Math.max(0, value ?? 0), 0);
    for (const { key, value, before } of series.points) {
      this.text(key);
      this.value(value, series.valueKind);
      this.value(before, series.valueKind);
      if (series.kind === "share" && sum > 0) this.found.percents.push((Math.max(0, value ?? 0) / sum) * 100);
    }
  }

  span({ start, end }: Snapshot["span"]): void {
    this.found.days.add(start).add(end);
    this.found.quarters.add(Math.ceil(Number(start.slice(5, 7)) / 3));
    let [year, month] = [Number(start.slice(0, 4)), Number(start.slice(5, 7))];
    for (let text = start.slice(0, 7); text <= end.slice(0, 7); text = `${year}-${String(month).padStart(2, "0")}`) {
      this.found.months.add(text);
      [year, month] = month === 12 ? [year + 1, 1] : [year, month + 1];
    }
  }
}

/** Gathers the numbers that prose about a snapshot may use (workspace-reporting §1.5). */
export function standingNumbers({ audience, client, span, compared, sections }: Snapshot): StandingNumbers {
  const gathering = new Gathering(audience === "client");
  gathering.text(client);
  gathering.span(span);
  gathering.span(compared);
  for (const { key, title, data } of sections) {
    gathering.text(title);
    // The client's goals are wishes: a number of theirs is no figure of the report.
    if (key === SUMMARY) continue;
    gathering.section(data);
  }
  return gathering.found;
}
