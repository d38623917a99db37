import { PassThrough } from "node:stream";
import { isDate } from "../../calendar/calendar.ts";
import type { Field } from "../field.ts";
import { cut, type ExportedCell, MOST_IN_WORKBOOK, plainNumber } from "./cell.ts";

/** Characters that XML cannot contain or the library drops, and existing escapes; workbooks escape them (ECMA-376 part 1 §22.9.2.19). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const NOT_XML = /[\u0000-\u0008\u000b-\u001f\u007f\ufffe\uffff]|_(?=x[0-9a-f]{4}_)/gi;
const asXml = (text: string): string =>
  text.replace(NOT_XML, (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`);

const DATE_FORMAT = "dd-mm-yyyy";
/** The first date on which a workbook's calendar and ours agree. */
const FIRST_DATE = "1900-03-01";

/** A decimal as a number cell if a number represents it exactly; otherwise the text. */
function asNumber(text: string): number | string {
  const number = Number(text);
  const isExact = /^-?\d+(\.\d+)?$/.test(text) && plainNumber(number) === text.replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
  return isExact ? number : text;
}

/** A workbook with one sheet, streamed row by row. Numbers, booleans and dates become typed cells, everything else text. */
export async function* workbookOf(
  fields: readonly Field[],
  pages: AsyncIterable<ExportedCell[][]> | Iterable<ExportedCell[][]>,
): AsyncGenerator<Buffer> {
  const { default: excel } = await import("exceljs");
  const out = new PassThrough();
  const workbook = new excel.stream.xlsx.WorkbookWriter({ stream: out, useStyles: true, useSharedStrings: false });
  const sheet = workbook.addWorksheet("Export", { views: [{ state: "frozen", ySplit: 1 }] });
  const written = (cell: ExportedCell, field: Field | undefined) => {
    if (typeof cell !== "string") return cell;
    // If a custom field has become a date field, older stored texts stay as they are.
    if (field?.kind === "date" && isDate(cell) && cell >= FIRST_DATE) return new Date(`${cell}T00:00:00Z`);
    const value = field?.kind === "number" ? asNumber(cell) : cell;
    if (typeof value === "number") return value;
    return value === "" ? null : asXml(cut(value, MOST_IN_WORKBOOK));
  };
  const fill = async () => {
    for (const [index, { kind }] of fields.entries()) if (kind === "date") sheet.getColumn(index + 1).numFmt = DATE_FORMAT;
    sheet.addRow(fields.map(({ key }) => key)).commit();
    for await (const rows of pages)
      for (const row of rows) sheet.addRow(row.map((cell, index) => written(cell, fields[index]))).commit();
    sheet.commit();
    await workbook.commit();
  };
  fill().catch((error: Error) => out.destroy(error));
  for await (const chunk of out) yield chunk as Buffer;
}
