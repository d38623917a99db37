import { stringify } from "csv-stringify/sync";
import type { Values } from "../database/write.ts";
import type { ExportEntity, ImpexEntity } from "./entity.ts";
import { CUSTOM, type Field } from "./field.ts";
import { cut, type ExportedCell, exportedNumber, guarded, MOST_CHARACTERS } from "./files/cell.ts";
import { writeList } from "./files/lists.ts";
import { fieldsOf } from "./import.ts";

export const FORMATS = ["csv", "xlsx"] as const;
export type Format = (typeof FORMATS)[number];

/** Rows that are read, and held, at once. */
const PAGE = 500;

/** The columns of an export: those an import can fill again, but for what stands in records of another kind. */
export const exportedFields = async (entity: ExportEntity): Promise<Field[]> =>
  (await fieldsOf(entity)).filter(({ importOnly }) => !importOnly);

/** What a field holds, as a cell that is not yet guarded; a list is one text. */
function cellOf({ key }: Field, row: Values): ExportedCell {
  const custom = row["custom"] as Values | undefined;
  const value = key.startsWith(CUSTOM) ? custom?.[key.slice(CUSTOM.length)] : row[key];
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return writeList(value.map(String));
  return typeof value === "number" || typeof value === "boolean" ? value : String(value);
}

/**
 * The records the filters name, page by page, as rows of cells. Everything in memory is one page and the ids of all.
 * @throws what the filters of the list throw, before the first page
 */
export async function exportedPages(
  entity: ExportEntity,
  fields: readonly Field[],
  filters: Record<string, unknown>,
): Promise<AsyncGenerator<ExportedCell[][]>> {
  const ids = await entity.ids(filters);
  async function* pages() {
    for (let from = 0; from < ids.length; from += PAGE) {
      const rows = await entity.rows(ids.slice(from, from + PAGE));
      yield rows.map((row) => fields.map((field) => cellOf(field, row)));
    }
  }
  return pages();
}

/** A decimal as the database writes it is a number like any other. */
const asText = (cell: ExportedCell, { kind }: Field): string => {
  if (typeof cell === "number" || (kind === "number" && /^-?\d+(\.\d+)?$/.test(String(cell))))
    return exportedNumber(cell as string);
  return typeof cell === "boolean" ? (cell ? "yes" : "no") : guarded(cut(cell, MOST_CHARACTERS));
};

/** A line break of any kind is quoted, not only the one between records. */
const CSV = { record_delimiter: "\r\n", quoted_match: /[\r\n]/ };

/** CSV as spreadsheets open it: UTF-8 with byte order mark, commas, CRLF (RFC 4180). */
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

/** The columns of an empty file: those people fill, and no ids. */
export const templateFields = async (entity: ImpexEntity): Promise<Field[]> =>
  (await fieldsOf(entity)).filter(({ kind, foreign }) => kind !== "id" && !foreign);

/** The file of an export in chunks. */
export async function fileOf(
  format: Format,
  fields: readonly Field[],
  pages: AsyncIterable<ExportedCell[][]> | Iterable<ExportedCell[][]>,
): Promise<AsyncGenerator<Buffer>> {
  return format === "csv" ? csvOf(fields, pages) : (await import("./files/xlsx-writer.ts")).workbookOf(fields, pages);
}
