import { searchWords } from "../../../core/database/lists/words.ts";
import { type Figures, figuresOf, type Sums, total } from "./figures.ts";
import type { FoundRow, ReadDeclaration, ReadRows } from "./read.ts";

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

/** Letters that Unicode does not decompose into a letter and an accent. */
const WITHOUT_ACCENT: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  ø: "o",
  œ: "oe",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ı: "i",
};

/** The form in which a search compares texts: case and accents do not count, as in lists of stored rows (conventions §10). */
const folded = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[ßæøœłđðþı]/gu, (letter) => WITHOUT_ACCENT[letter] as string);

/** Whether every word occurs in one of the fields. @param words folded */
function matches({ row }: FoundRow, fields: readonly string[], words: readonly string[]): boolean {
  const texts = fields.flatMap((field) => row[field]).flatMap((value) => (typeof value === "string" ? folded(value) : []));
  return words.every((word) => texts.some((text) => text.includes(word)));
}

/** Applies filters and paging in the order of marketing-ads §3.5: ceiling, status, `q`, totals and count of the matches, page. */
export function reportOf(
  read: Pick<ReadDeclaration, "ceiling" | "takes" | "searched" | "hasTotals" | "warnings" | "extra">,
  found: ReadRows,
  wanted: ReportQuery,
): ReportRows {
  const status = read.takes.includes("status") ? wanted.status?.trim().toUpperCase() : undefined;
  const words = searchWords(wanted.q)?.map(folded) ?? [];
  const offset = wanted.offset ?? 0;
  const matched = found.rows
    .slice(0, read.ceiling)
    .filter(({ row }) => !status || row["status"] === status)
    .filter((one) => words.length === 0 || matches(one, read.searched, words));
  const page = matched.slice(offset, wanted.limit === undefined ? undefined : offset + wanted.limit);
  const isTruncated = found.isTruncated ?? found.rows.length > read.ceiling;
  return {
    row_count: page.length,
    total_rows: matched.length,
    offset,
    warnings: [...(isTruncated ? ["ads.warning.rows_truncated"] : []), ...(found.warnings ?? []), ...(read.warnings ?? [])],
    totals: read.hasTotals ? figuresOf(total(matched.map(({ sums }) => sums as Sums))) : null,
    rows: page.map(({ row }) => row),
    extra: { ...read.extra?.(matched), ...found.extra },
  };
}
