import excel from "exceljs";
import { readCsv } from "../../../core/impex/files/csv.ts";
import type { PackedList } from "../../../core/impex/files/packed.ts";
import { readSheet } from "../../../core/impex/files/read-sheet.ts";
import { CALL_LIMITS } from "../../../core/impex/files/sheet.ts";
import { ImportRefused } from "../../../core/impex/refused.ts";
import { archiveOf } from "../../support/workbook.ts";

/** A text as UTF-8. */
export const bytes = (text: string) => new TextEncoder().encode(text);

/** A workbook as another program would make it. */
export async function workbook(fill: (book: excel.Workbook) => void): Promise<Uint8Array> {
  const book = new excel.Workbook();
  fill(book);
  return new Uint8Array((await book.xlsx.writeBuffer()) as ArrayBuffer);
}
/** A workbook of one sheet with these rows. */
export const oneSheet = (rows: excel.CellValue[][]) => workbook((book) => void book.addWorksheet("Blad1").addRows(rows));
/** The headers and rows of a file of any kind, within the limits of a call. */
export const read = async (file: Uint8Array) => {
  const { headers, rows } = await readSheet(file, CALL_LIMITS);
  return { headers, rows: await Array.fromAsync(rows) };
};
/** All values of a short list. */
export const allOf = <T>(list: PackedList<T>): T[] => Array.from({ length: list.length }, (_, index) => list.at(index));
/** The same of a CSV file. */
export const readText = (text: string | Uint8Array, limits = CALL_LIMITS) => {
  const { headers, rows } = readCsv(typeof text === "string" ? bytes(text) : text, limits);
  return { headers, rows: allOf(rows) };
};
/** Why a file is refused. @throws Error if it is read */
export async function refusal(file: Uint8Array | Promise<Uint8Array>, limits = CALL_LIMITS): Promise<ImportRefused> {
  try {
    await readSheet(await file, limits);
  } catch (error) {
    if (error instanceof ImportRefused) return error;
    throw error;
  }
  throw new Error("the file was read");
}

const RELATIONS = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1"
  Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="/xl/worksheets/list.xml"/></Relationships>`;
const WORKBOOK = `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="x"><sheets>
  <sheet name="A" sheetId="1" r:id="r1"/></sheets></workbook>`;
/** The parts of a workbook with this sheet, which can claim another size. */
export const parts = (sheet: string | Buffer, claims?: number) => [
  { name: "xl/workbook.xml", content: Buffer.from(WORKBOOK) },
  { name: "xl/_rels/workbook.xml.rels", content: Buffer.from(RELATIONS) },
  { name: "xl/worksheets/list.xml", content: Buffer.from(sheet), ...(claims !== undefined && { claims }) },
];
const STYLES =
  '<Relationship Id="r2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/>';
const stylesOf = (format: string) => `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">
  <numFmts count="1"><numFmt numFmtId="164" formatCode="${format}"/></numFmts>
  <cellXfs count="1"><xf numFmtId="164" applyNumberFormat="1"/></cellXfs></styleSheet>`;
/** The text of a sheet with these rows. */
export const sheetOf = (rows: string) =>
  `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${rows}</sheetData></worksheet>`;

/** A workbook whose only value has this number format. */
export function styled(format: string): Buffer {
  const sheet = sheetOf('<row r="1"><c r="A1" t="str"><v>name</v></c></row><row r="2"><c r="A2" s="0"><v>1</v></c></row>');
  return archiveOf([
    ...parts(sheet).map((part) =>
      part.name.endsWith(".rels")
        ? { ...part, content: Buffer.from(RELATIONS.replace("</Relationships>", `${STYLES}</Relationships>`)) }
        : part,
    ),
    { name: "xl/styles.xml", content: Buffer.from(stylesOf(format)) },
  ]);
}
