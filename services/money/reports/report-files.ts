import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { type Locale, localeOf } from "../../../core/config/defaults.ts";
import type { Values } from "../../../core/database/write.ts";
import type { ReportSeries } from "../../../core/declare/report-sections.ts";
import { type FileAnswer, madeFile } from "../../../core/files/file-answer.ts";
import { SHEET_TYPES } from "../../../core/files/file-types.ts";
import type { Field } from "../../../core/impex/field.ts";
import { namedValues } from "../../../core/naming/named-values.ts";
import { request } from "../../../core/request/context.ts";
import { choice, optional } from "../../../core/schema/schema.ts";
import { paletteOf } from "../../../mixins/documents/colours.ts";
import { chartOf } from "../../../mixins/drawing/chart.ts";

export const REPORT_FORMATS = namedValues("FigureFormat", ["csv", "xlsx", "svg"]);
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** The query parameter of the form of a report's file. */
export const formatQuery = () => ({
  format: optional({
    ...choice(REPORT_FORMATS, { default: "csv" }),
    description: "`csv` or `xlsx`: every figure, one a row; `svg`: a picture of the main ones",
  }),
});

/** A report as a table of rows, and as a picture. */
export interface DrawnReport {
  /** Without extension. */
  name: string;
  fields: readonly Field[];
  rows: readonly Values[];
  /** Title by language, and the values to draw. */
  title: Readonly<Record<Locale, string>>;
  currency: string;
  series: Pick<ReportSeries, "kind" | "points">;
}

const WORDS: Readonly<Record<Locale, { now: string; before: string; other: string }>> = {
  nl: { now: "Nu", before: "Jaar eerder", other: "Overig" },
  en: { now: "Now", before: "A year before", other: "Other" },
};

/** The language of a report's words: the organisation's. */
export const reportLocale = (): Locale => localeOf(request().organisation.locale);

/** Columns of a report's table: texts, dates, and amounts. */
export const columnsOf = (kinds: Readonly<Record<string, Field["kind"]>>): Field[] =>
  Object.entries(kinds).map(([key, kind]) => ({ key, kind }));

/** A report as a file: a table with its figures, or a picture. A report without figures is a table without rows, and a picture of zero. */
export async function reportFile(format: ReportFormat, report: DrawnReport): Promise<FileAnswer> {
  const name = `${report.name}.${format}`;
  if (format === "svg") return madeFile({ name, type: "image/svg+xml", bytes: pictureOf(report) });
  const { fileOf } = await import("../../../core/impex/export.ts");
  const cells = report.rows.map((row) => report.fields.map(({ key }) => (row[key] as string | number | null) ?? ""));
  const bytes = await buffer(Readable.from(await fileOf(format, report.fields, [cells]), { objectMode: false }));
  return madeFile({ name, type: SHEET_TYPES[format], bytes });
}

function pictureOf({ name, title, currency, series }: DrawnReport): string {
  const locale = reportLocale();
  const points = series.points.length > 0 ? series.points : [{ key: title[locale], value: 0, before: null }];
  const drawn = { ...series, points, label: title, valueKind: "money" } as const;
  return chartOf(drawn, { id: name, title: title[locale], locale, currency, palette: paletteOf(), words: WORDS[locale] }).svg;
}
