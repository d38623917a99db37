import type { Field } from "./field.ts";
import { bare } from "./field.ts";
import { type Cell, cellText } from "./files/cell.ts";
import { type DateOrder, isAmerican, plainDate, slashedParts } from "./files/dates.ts";
import type { Ambiguous, TakenAs } from "./report.ts";

/** The order of day and month in each column of dates. */
export interface DateOrders {
  /** By field; a field without an entry is day first. */
  readonly of: ReadonlyMap<string, DateOrder>;
  /** The columns whose order follows from elsewhere in the file. */
  readonly taken: readonly TakenAs[];
  /** The columns whose order nothing decides. */
  readonly ambiguous: readonly Ambiguous[];
}

/** The cells of a file, by field and as they stand. */
export interface DatedRows {
  /** The header of a field's column. */
  headerOf(field: string): string | null;
  /** The cells by field, row by row. */
  read(): AsyncIterable<Readonly<Record<string, Cell>>>;
  /** All cells, row by row. */
  all(): AsyncIterable<readonly Cell[]>;
  readonly headers: readonly string[];
}

const isDated = ({ kind, dated }: Field): boolean =>
  dated === true || kind === "date" || kind === "datetime" || kind === "local datetime";

/** What the dates of one column say about their order. */
interface Seen {
  order: DateOrder | null;
  /** The first date that is one in either order. */
  example: string | null;
}

/** Reads the columns: a part above twelve decides, day first before month first. */
async function seenIn(rows: DatedRows, fields: readonly string[]): Promise<Map<string, Seen>> {
  const seen = new Map<string, Seen>();
  for await (const cells of rows.read())
    for (const field of fields) {
      const cell = cells[field];
      const [first, second] = (typeof cell === "string" && slashedParts(cell)) || [];
      if (first === undefined || second === undefined) continue;
      const column = seen.get(field) ?? { order: null, example: null };
      seen.set(field, column);
      if (first > 12) column.order = "dmy";
      else if (second > 12) column.order ??= "mdy";
      else if (first !== second) column.example ??= cellText(cell as Cell).trim();
    }
  return seen;
}

/** The order that headers name, or that only the United States has words for. */
function orderOfHeaders(headers: readonly string[]): DateOrder | null {
  if (headers.some((header) => /\bdd?[/-]mm?\b/i.test(header))) return "dmy";
  const isAmericanHeader = (header: string) => /\bmm?[/-]dd?\b/i.test(header) || ["zip", "zipcode"].includes(bare(header));
  return headers.some(isAmericanHeader) ? "mdy" : null;
}

/** The order that the rest of the file suggests: other dates, headers, times with AM and PM, amounts in dollars. */
async function suggested(rows: DatedRows, seen: ReadonlyMap<string, Seen>): Promise<DateOrder | null> {
  const decided = new Set([...seen.values()].flatMap(({ order }) => order ?? []));
  if (decided.size === 1) return [...decided][0] as DateOrder;
  const named = orderOfHeaders(rows.headers);
  if (named !== null || decided.size > 1) return named;
  for await (const cells of rows.all()) if (cells.some((cell) => typeof cell === "string" && isAmerican(cell))) return "mdy";
  return null;
}

/**
 * Decides the order of day and month in each column (conventions §22): only dates with slashes are in question; the rows of a column decide
 * together, then the rest of the file, else the caller.
 * @param asked the caller's order, for all columns
 */
export async function dateOrders(rows: DatedRows, fields: readonly Field[], asked: DateOrder | null): Promise<DateOrders> {
  const keys = fields.filter(isDated).map(({ key }) => key);
  if (keys.length === 0) return { of: new Map(), taken: [], ambiguous: [] };
  if (asked) return { of: new Map(keys.map((key) => [key, asked])), taken: [], ambiguous: [] };
  const seen = await seenIn(rows, keys);
  const open = [...seen].filter(([, { order, example }]) => order === null && example !== null);
  const hint = open.length === 0 ? null : await suggested(rows, seen);
  const nameOf = (field: string) => rows.headerOf(field) ?? field;
  const of = [...seen].flatMap(([field, { order }]) => {
    const known = order ?? hint;
    return known ? [[field, known] as const] : [];
  });
  return {
    of: new Map(of),
    taken: hint === null ? [] : open.map(([field]) => ({ column: nameOf(field), as: hint })),
    ambiguous:
      hint !== null
        ? []
        : open.map(([field, { example }]) => ({
            column: nameOf(field),
            example: example as string,
            as: plainDate(example as string, "dmy"),
          })),
  };
}
