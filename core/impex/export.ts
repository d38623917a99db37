import { stringify } from "csv-stringify/sync";
import type { Values } from "../database/write.ts";
import { Breath } from "../threads/breath.ts";
import type { ExportEntity, ImpexEntity } from "./entity.ts";
import { CUSTOM, type Field } from "./field.ts";
import { cut, type ExportedCell, exportedNumber, guarded, MOST_CHARACTERS } from "./files/cell.ts";
import { writeList } from "./files/lists.ts";
import { allColumns } from "./import.ts";

export const FORMATS = ["csv", "xlsx"] as const;
export type Format = (typeof FORMATS)[number];

/** Rows read into memory at a time, and those of them that are written without a pause. */
const PAGE = 500;
const AT_ONCE = 50;

/** The columns of an export: all except import-only ones. */
const exportedFields = async (entity: ExportEntity): Promise<Field[]> =>
  (await allColumns(entity)).filter(({ importOnly }) => !importOnly);

/** The value of a field as a cell, not yet guarded; a list becomes one text. */
function cellOf({ key }: Field, row: Values): ExportedCell {
  const custom = row["custom"] as Values | undefined;
  const value = key.startsWith(CUSTOM) ? custom?.[key.slice(CUSTOM.length)] : row[key];
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return writeList(value.map(String));
  return typeof value === "number" || typeof value === "boolean" ? value : String(value);
}

/** The columns of an exported file, and its rows of cells page by page. */
export interface ExportedSheet {
  fields: readonly Field[];
  pages: AsyncGenerator<ExportedCell[][]>;
}

/**
 * The records selected by the filters, page by page, as rows of cells. Memory holds one page and all ids.
 * @throws the errors of the list's filters, before the first page
 */
export async function exportedSheet(entity: ExportEntity, filters: Record<string, unknown>): Promise<ExportedSheet> {
  const ids = await entity.ids(filters);
  const fields = [...(await exportedFields(entity)), ...((await entity.further?.(ids)) ?? [])];
  async function* pages() {
    const breath = new Breath();
    for (let from = 0; from < ids.length; from += PAGE) {
      const rows = await entity.rows(ids.slice(from, from + PAGE));
      for (let row = 0; row < rows.length; row += AT_ONCE) {
        if (breath.isDue) await breath.take();
        yield rows.slice(row, row + AT_ONCE).map((one) => fields.map((field) => cellOf(field, one)));
      }
    }
  }
  return { fields, pages: pages() };
}

/** Writes decimals, which the database returns as text, as plain numbers. */
const asText = (cell: ExportedCell, { kind }: Field): string => {
  if (typeof cell === "number" || (kind === "number" && /^-?\d+(\.\d+)?$/.test(String(cell))))
    return exportedNumber(cell as string);
  return typeof cell === "boolean" ? (cell ? "yes" : "no") : guarded(cut(cell, MOST_CHARACTERS));
};

/** Quote line breaks of any kind, not only the record delimiter. */
const CSV = { record_delimiter: "\r\n", quoted_match: /[\r\n]/ };

/** CSV for spreadsheet programs: UTF-8 with byte order mark, commas, CRLF (RFC 4180). */
export async function* csvOf(
  fields: readonly Field[],
  pages: AsyncIterable<ExportedCell[][]> | Iterable<ExportedCell[][]>,
): AsyncGenerator<Buffer> {
  yield Buffer.from(`\ufeff${stringify([fields.map(({ key }) => key)], CSV)}`);
  for await (const rows of pages)
    yield Buffer.from(
      stringify(
        rows.map((row) => row.map((cell, column) => asText(cell, fields[column] as Field))),
        CSV,
      ),
    );
}

/** The columns of an empty template, without ids and columns of other tools. */
export const templateFields = async (entity: ImpexEntity): Promise<Field[]> =>
  (await allColumns(entity)).filter(({ kind, foreign }) => kind !== "id" && !foreign);

/** The exported file, in chunks. */
export async function fileOf(
  format: Format,
  fields: readonly Field[],
  pages: AsyncIterable<ExportedCell[][]> | Iterable<ExportedCell[][]>,
): Promise<AsyncGenerator<Buffer>> {
  return format === "csv" ? csvOf(fields, pages) : (await import("./files/xlsx-writer.ts")).workbookOf(fields, pages);
}
