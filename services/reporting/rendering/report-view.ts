import { dayInWords } from "../../../core/calendar/in-words.ts";
import type { Locale } from "../../../core/config/defaults.ts";
import type {
  ReportAudience,
  ReportSectionData,
  ReportSpan,
  ReportTable,
  ReportTotal,
} from "../../../core/declare/report-sections.ts";
import { type Palette, paletteOf } from "../../../mixins/documents/colours.ts";
import { chartOf } from "../../../mixins/drawing/chart.ts";
import { folded } from "../../../mixins/drawing/fold.ts";
import { changeOf, printedTotals, valueText } from "../../../mixins/drawing/numbers.ts";
import type { Chart } from "../../../mixins/drawing/svg.ts";
import { daysInWords, reportTitle } from "./report-title.ts";
import { isComparable, isCompared } from "./section-comparison.ts";
import { isLong, settingOf, type TableSetting } from "./table-setting.ts";
import { type ReportWords, reportWords } from "./words.ts";

/** A report's content: figures and texts, unformatted. */
export interface ReportContent {
  locale: Locale;
  audience: ReportAudience;
  client: string;
  span: ReportSpan;
  compared: ReportSpan;
  sections: readonly { key: string; title: string; prose: string; data: ReportSectionData }[];
}

/** A report's surroundings, from the organisation and the template. Pictures are `data:` addresses. */
export interface ReportLook {
  brand: string;
  logo: string | null;
  cover: string | null;
  /** Colours by preference: the template's, then the brand's. */
  accents: readonly (string | null)[];
  intro: string | null;
  footer: string | null;
}

export interface TotalView {
  label: string;
  value: string;
  /** The size of its letters, by the length of the value. */
  size: "large" | "medium" | "small";
  before: string | null;
  change: { text: string; direction: string; meaning: string } | null;
}
/** A heading or a cell; `long` if it has a word that is wider than a column should be. */
export interface CellView {
  text: string;
  numeric: boolean;
  long: boolean;
}
export interface TableView {
  columns: readonly { label: string; numeric: boolean; long: boolean }[];
  rows: readonly (readonly CellView[])[];
  /** How closely it is set, by the width that its columns need. */
  setting: TableSetting;
  /** `25 of 230` for a table without its last rows; null for a whole one. */
  cut: string | null;
}
/** The figures of one website, if a report is split by website. */
export interface PartView {
  name: string;
  totals: readonly TotalView[];
  tables: readonly TableView[];
}
export interface SectionView {
  key: string;
  title: string;
  paragraphs: readonly string[];
  totals: readonly TotalView[];
  chart: Chart | null;
  /** What the chart shows; null without a chart. */
  chart_label: string | null;
  tables: readonly TableView[];
  parts: readonly PartView[];
  /** The day up to which figures are final, if that is before the span's end. */
  final_until: string | null;
  /** Says that nothing in it is compared; null for a section with a comparison, and where `stored_from` says so. */
  no_comparison: string | null;
}

/** A report as designs print it: formatted texts without raw figures, so that every design shows the same. */
export interface ReportView {
  locale: Locale;
  title: string;
  /** Title and period in words, for the title of the document: `Report October 2026`. */
  full_title: string;
  brand: string;
  client: string;
  logo: string | null;
  cover: string | null;
  period: string;
  compared: string;
  /** Whether any section has a comparison. */
  is_compared: boolean;
  /** From which day figures are stored, if that leaves sections without a comparison; null otherwise. */
  stored_from: string | null;
  intro: readonly string[];
  footer: readonly string[];
  words: ReportWords;
  palette: Palette;
  /** The creation date, `YYYY-MM-DD`; null for a preview. */
  made_on: string | null;
  sections: readonly SectionView[];
}

/** Characters of a value that fit next to three other figures in large letters, and in medium ones. */
const [MOST_LARGE, MOST_MEDIUM] = [10, 14];

/** Splits a text into paragraphs at blank lines. */
const paragraphsOf = (text: string | null): string[] =>
  (text ?? "")
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== "");

/** The one line about missing comparisons. It names the sections unless all of them are concerned alike. */
function storedFromText({ locale, sections }: ReportContent): string | null {
  const days = [...Map.groupBy(sections, ({ data }) => data.stored_from ?? "")].filter(([day]) => day !== "").toSorted();
  if (days.length === 0) return null;
  const isAlike = days[0]?.[1].length === sections.length;
  const named = days.map(([day, concerned]) => {
    const titles = concerned.map(({ title }) => title).join(", ");
    return isAlike ? dayInWords(locale, day) : `${dayInWords(locale, day)} (${titles})`;
  });
  return reportWords(locale).stored_from.replace("{day}", () => named.join(", "));
}

interface Printing {
  locale: Locale;
  currency: string | null | undefined;
  folds: boolean;
  words: ReportWords;
}

const totalsView = (totals: readonly ReportTotal[], printing: Printing): TotalView[] =>
  printedTotals(totals).map((total) => {
    const value = valueText(total.value, total.kind, printing);
    return {
      label: total.label[printing.locale],
      value,
      size: value.length <= MOST_LARGE ? "large" : value.length <= MOST_MEDIUM ? "medium" : "small",
      before: total.before === null ? null : valueText(total.before, total.kind, printing),
      change: changeOf(total, printing.locale),
    };
  });

/** `25 of 230` for a table that was cut. */
function cutText({ rows, total_rows: all }: ReportTable, { locale, words }: Printing): string | null {
  if (all === undefined || all <= rows.length) return null;
  const text = (count: number) => valueText(count, "count", { locale });
  return words.cut.replace("{shown}", text(rows.length)).replace("{all}", text(all));
}

function tableView(table: ReportTable, printing: Printing): TableView {
  const { columns, rows } = printing.folds ? folded(table, printing.words.other) : table;
  // A column without any value, such as that of an earlier period that nothing was stored for, would be dashes alone.
  const shown = columns.flatMap((column, at) =>
    at === 0 || rows.some((row) => row[at] !== null && row[at] !== "")
      ? [{ ...column, at, numeric: column.kind !== "text" }]
      : [],
  );
  const cells = rows.map((row) =>
    shown.map(({ kind, at, numeric }) => {
      const text = valueText(row[at] ?? null, kind, printing);
      return { text, numeric, long: isLong(text) };
    }),
  );
  const headings = shown.map(({ label, numeric }) => {
    const text = label[printing.locale];
    return { label: text, numeric, long: isLong(text) };
  });
  return { columns: headings, rows: cells, setting: settingOf(headings, cells), cut: cutText(table, printing) };
}

const tablesView = (table: ReportTable | undefined, printing: Printing): TableView[] =>
  table ? [tableView(table, printing)] : [];

function sectionView(
  { key, title, prose, data }: ReportContent["sections"][number],
  { locale, audience }: ReportContent,
  palette: Palette,
): SectionView {
  const words = reportWords(locale);
  const printing = { locale, currency: data.currency, folds: audience === "client", words };
  const chartWords = { now: words.this_period, before: words.previous_period, other: words.other };
  return {
    key,
    title,
    paragraphs: paragraphsOf(prose),
    totals: totalsView(data.totals, printing),
    chart: data.series ? chartOf(data.series, { id: key, title, palette, ...printing, words: chartWords }) : null,
    chart_label: data.series ? data.series.label[locale] : null,
    tables: tablesView(data.table, printing),
    parts: (data.parts ?? []).map((part) => ({
      name: part.name,
      totals: totalsView(part.totals, printing),
      tables: tablesView(part.table, printing),
    })),
    final_until: data.final_until ? dayInWords(locale, data.final_until) : null,
    no_comparison: isComparable(data) && !isCompared(data) && !data.stored_from ? words.no_comparison : null,
  };
}

/**
 * Formats a report for its design.
 * @param madeOn the creation date; null for a preview
 */
export function reportView(content: ReportContent, look: ReportLook, madeOn: string | null = null): ReportView {
  const { locale, audience, client, span, compared } = content;
  const words = reportWords(locale);
  const palette = paletteOf(...look.accents);
  return {
    locale,
    title: words.title[audience],
    full_title: reportTitle(locale, audience, span),
    brand: look.brand,
    client,
    logo: look.logo,
    cover: look.cover,
    period: daysInWords(locale, span),
    compared: daysInWords(locale, compared),
    is_compared: content.sections.some(({ data }) => isCompared(data)),
    stored_from: storedFromText(content),
    intro: paragraphsOf(look.intro),
    footer: paragraphsOf(look.footer),
    words,
    palette,
    made_on: madeOn,
    sections: content.sections.map((section) => sectionView(section, content, palette)),
  };
}
