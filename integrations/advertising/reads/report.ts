import { type Figures, figuresOf, type Sums, total } from "./figures.ts";
import type { Found, FoundRow, ReadDeclaration } from "./read.ts";

/** The caller's filters and page. */
export interface ReportQuery {
  /** Ignores case; an unknown status matches nothing. Only reads that accept `status` use it. */
  status?: string | undefined;
  q?: string | undefined;
  limit?: number | undefined;
  offset?: number | undefined;
}

/** The part of a response that depends on the rows. */
export interface ReportRows {
  row_count: number;
  total_rows: number;
  offset: number;
  warnings: string[];
  totals: Figures | null;
  rows: Record<string, unknown>[];
  extra: Record<string, unknown>;
}

const folded = (text: string): string => text.normalize("NFC").toLowerCase();

function matches({ row }: FoundRow, fields: readonly string[], text: string): boolean {
  return fields.flatMap((field) => row[field]).some((value) => typeof value === "string" && folded(value).includes(text));
}

/** Applies filters and paging in the order of marketing-ads §3.5: ceiling, status, `q`, totals and count of the matches, page. */
export function reportOf(
  read: Pick<ReadDeclaration, "ceiling" | "takes" | "searched" | "hasTotals" | "warnings" | "extra">,
  found: Found,
  wanted: ReportQuery,
): ReportRows {
  const status = read.takes.includes("status") ? wanted.status?.trim().toUpperCase() : undefined;
  const text = folded(wanted.q?.trim() ?? "");
  const offset = wanted.offset ?? 0;
  const matched = found.rows
    .slice(0, read.ceiling)
    .filter(({ row }) => !status || row["status"] === status)
    .filter((one) => text === "" || matches(one, read.searched, text));
  const page = matched.slice(offset, wanted.limit === undefined ? undefined : offset + wanted.limit);
  const isTruncated = found.isTruncated ?? found.rows.length > read.ceiling;
  return {
    row_count: page.length,
    total_rows: matched.length,
    offset,
    warnings: [...(isTruncated ? ["ads.warning.rows_truncated"] : []), ...(found.warnings ?? []), ...(read.warnings ?? [])],
    totals: read.hasTotals ? figuresOf(total(matched.map(({ sums }) => sums as Sums))) : null,
    rows: page.map(({ row }) => row),
    extra: { ...found.extra, ...read.extra?.(matched) },
  };
}
