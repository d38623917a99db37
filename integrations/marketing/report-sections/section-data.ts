import type { Locale } from "../../../core/config/defaults.ts";
import {
  cutRows,
  MOST_ROWS,
  type ReportColumn,
  type ReportSectionData,
  type ReportSeries,
  type ReportTable,
  type ReportTotal,
} from "../../../core/declare/report-sections.ts";
import { decimal } from "../../../core/values/money.ts";
import { dailyLine } from "../../../mixins/report-sections/report-line.ts";
import type { MetricDeclaration } from "../sources/source.ts";
import type { ChosenLinks, LinkGroup } from "./chosen-links.ts";
import { hasOwnPeople, type ValueOf } from "./period-people.ts";
import type { SectionFigures } from "./section-figures.ts";
import { METRICS, type MetricWords, type Words } from "./section-words.ts";

/** A fraction as a percentage. */
export const percentOf = (fraction: number): number => decimal(fraction).times(100).toNumber();

/** The currencies of some links. */
export const currenciesOf = (links: LinkGroup["links"]): ReadonlySet<unknown> =>
  new Set(links.flatMap(({ currency, config }) => currency ?? config["currency"] ?? []));

/** The currency of some links; null if they have none or several. */
function currencyOf(links: LinkGroup["links"]): string | null {
  const found = currenciesOf(links);
  const [one] = found;
  return found.size === 1 && typeof one === "string" ? one : null;
}

/** The currency of a section's amounts; null if there are several, and each amount then names its own. */
export const sectionCurrency = ({ all }: ChosenLinks): string | null => currencyOf(all.links);

/** The label of a metric: the client's own, else the default. Amounts name their currency if the section has several. */
function labelOf({ shown, all }: ChosenLinks, name: string, { label, kind }: MetricWords, group: LinkGroup): Words {
  const own = shown.labels[name];
  const text = (locale: Locale) => own?.[locale] || label[locale];
  const [whole, currency] = [currencyOf(all.links), currencyOf(group.links)];
  const suffix = kind === "money" && whole === null && currency !== null ? ` (${currency})` : "";
  return { nl: text("nl") + suffix, en: text("en") + suffix };
}

/** The value of a metric of a group in a span; null if nothing was measured. */
function measured(
  { source, span, compared }: ChosenLinks,
  name: string,
  { links: [link], ...group }: LinkGroup,
  part: "current" | "previous",
  { figures, values }: MetricFigures,
): number | null {
  const { aggregation, lowerIsBetter } = source.metrics[name] as MetricDeclaration;
  if (aggregation === "period") {
    const isPrinted = part === "current" || figures.isCompared({ links: [], ...group });
    return (isPrinted && link ? values?.(link, name, part === "current" ? span : compared) : null) ?? null;
  }
  const totals = figures.totals({ links: [], ...group }, part);
  const value = totals?.[name] ?? null;
  // 0 is not a position, and a weighted mean is undefined without weight.
  const isUnmeasured = typeof aggregation === "object" ? !totals?.[aggregation.mean] : lowerIsBetter && value === 0;
  return isUnmeasured ? null : value;
}

/** The sources of totals: stored figures and whole-span values. */
export interface MetricFigures {
  figures: SectionFigures;
  values?: ValueOf;
}

/**
 * The totals of a group, by metric in the order of the client's tab and without metrics that the tab hides. For several links it omits what
 * does not add up: visitors, means over days, and amounts in several currencies.
 * @param names the metrics that the section prints
 */
export function metricTotals(
  chosen: ChosenLinks,
  names: readonly string[],
  group: LinkGroup,
  made: MetricFigures,
): ReportTotal[] {
  const { source, shown } = chosen;
  return shown.tiles.flatMap((name): ReportTotal[] => {
    const words = METRICS[source.key]?.[name];
    const metric = source.metrics[name];
    if (!names.includes(name) || !words || !metric) return [];
    const { aggregation, lowerIsBetter = false } = metric;
    const isAlone = hasOwnPeople(group);
    if (!isAlone && (aggregation === "period" || aggregation === "mean")) return [];
    if (words.kind === "money" && currenciesOf(group.links).size > 1) return [];
    const [now, before] = (["current", "previous"] as const).map((part) => {
      const value = measured(chosen, name, group, part, made);
      return value !== null && words.isFraction ? percentOf(value) : value;
    }) as [number | null, number | null];
    if (now === null && before === null) return [];
    const value = now ?? (aggregation === "sum" ? 0 : null);
    // A zero without an earlier value is no figure.
    if (value === 0 && !made.figures.isCompared(group)) return [];
    return [{ key: name, label: labelOf(chosen, name, words, group), kind: words.kind, value, before, lowerIsBetter }];
  });
}

/** The daily line of a metric; undefined if the metric is hidden or nothing was counted. */
export function metricLine(chosen: ChosenLinks, name: string, figures: SectionFigures): ReportSeries | undefined {
  const { asked, source, shown, all } = chosen;
  const words = METRICS[source.key]?.[name];
  if (!words || !shown.tiles.includes(name)) return undefined;
  return dailyLine(asked, {
    label: labelOf(chosen, name, words, all),
    valueKind: words.kind,
    valueOn: (day) => figures.onDay(day, name),
    hasBefore: figures.totals(all, "previous") !== undefined,
    until: figures.until,
  });
}

/** A table of the rows that were kept; null without rows. @param all the number of rows before the cut */
export const cutTable = (columns: readonly ReportColumn[], rows: ReportTable["rows"], all: number): ReportTable | null =>
  rows.length === 0 ? null : { columns, rows, ...cutRows(rows.length, all) };

/** A table of the first 25 rows; null without rows. */
export const tableOf = (columns: readonly ReportColumn[], rows: ReportTable["rows"]): ReportTable | null =>
  cutTable(columns, rows.slice(0, MOST_ROWS), rows.length);

/** The columns of a table that compare. */
const COMPARING: readonly string[] = ["before", "delta"];

/** A table like `tableOf`; without a comparison it has no columns that compare. */
export function comparedTable(
  columns: readonly ReportColumn[],
  rows: ReportTable["rows"],
  isCompared: boolean,
): ReportTable | null {
  if (isCompared) return tableOf(columns, rows);
  const isKept = columns.map(({ key }) => !COMPARING.includes(key));
  const kept = <T>(list: readonly T[]): T[] => list.filter((_, at) => isKept[at]);
  return tableOf(kept(columns), rows.map(kept));
}

/** The printed data of a group of links. */
export interface GroupData {
  totals: readonly ReportTotal[];
  table: ReportTable | null;
}

const isSaying = ({ totals, table }: GroupData): boolean =>
  table !== null || totals.some(({ value, before }) => (value ?? 0) !== 0 || (before ?? 0) !== 0);

const printed = ({ totals, table }: GroupData) => ({ totals, ...(table && { table }) });

/**
 * Builds a section of all its links; null if there is nothing to print. In a split report each website gets a part, and only the parts have
 * tables.
 */
export function sectionOf(
  { all, parts, span }: ChosenLinks,
  dataOf: (group: LinkGroup) => GroupData,
  { series, currency, figures }: { series?: ReportSeries | undefined; currency?: string | null; figures?: SectionFigures } = {},
): ReportSectionData | null {
  const ofParts = parts.map((group) => ({ name: group.name, ...dataOf(group) })).filter(isSaying);
  const whole = dataOf(all);
  if (!isSaying(whole) && ofParts.length === 0) return null;
  return {
    ...printed(parts.length > 0 ? { ...whole, table: null } : whole),
    ...(currency !== undefined && { currency }),
    ...(series && { series }),
    final_until: figures && figures.until < span.to ? figures.until : null,
    stored_from: figures?.storedFrom ?? null,
    ...(ofParts.length > 0 && { parts: ofParts.map(({ name, ...data }) => ({ name, ...printed(data) })) }),
  };
}
