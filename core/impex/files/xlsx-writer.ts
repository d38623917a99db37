import { PassThrough, Readable } from "node:stream";
import { ZipFile } from "yazl";
import { isDate } from "../../calendar/calendar.ts";
import type { Field } from "../field.ts";
import { cut, type ExportedCell, MOST_IN_WORKBOOK, plainNumber } from "./cell.ts";

/** Characters that XML cannot contain or reads as another, and existing escapes; workbooks escape them (ECMA-376 part 1 §22.9.2.19). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const NOT_XML = /[\u0000-\u0008\u000b-\u001f\u007f\ufffe\uffff]|_(?=x[0-9a-f]{4}_)/gi;
const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const asXml = (text: string): string =>
  text
    .replace(NOT_XML, (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`)
    .replace(/[&<>]/g, (character) => ENTITIES[character] as string);

/** The first date on which a workbook's calendar and ours agree. */
const FIRST_DATE = "1900-03-01";
/** The day with number 0 in a workbook, in milliseconds. */
const DAY_ZERO = Date.UTC(1899, 11, 30);
const DAY = 86_400_000;

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const SHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml";
/** Indexes of `cellXfs` in the styles. */
const [HEADER, DATE] = [1, 2];

/** The parts of every workbook, except its sheet (ECMA-376 part 1 §12). */
const PARTS: Readonly<Record<string, string>> = {
  "[Content_Types].xml": `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${SHEET_TYPE}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${SHEET_TYPE}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${SHEET_TYPE}.styles+xml"/></Types>`,
  "_rels/.rels": `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  "xl/workbook.xml": `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="Export" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  "xl/_rels/workbook.xml.rels": `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
  "xl/styles.xml": `<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="dd-mm-yyyy"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs></styleSheet>`,
};

/** The letters of a column, counted from 0: A, B, … Z, AA. */
function letters(column: number): string {
  const last = String.fromCharCode(65 + (column % 26));
  return column < 26 ? last : letters(Math.floor(column / 26) - 1) + last;
}

/** A decimal as a number cell if a number represents it exactly; otherwise the text. */
function asNumber(text: string): number | string {
  const number = Number(text);
  const isExact = /^-?\d+(\.\d+)?$/.test(text) && plainNumber(number) === text.replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
  return isExact ? number : text;
}

const textCell = (place: string, text: string, style = 0): string =>
  `<c r="${place}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${asXml(cut(text, MOST_IN_WORKBOOK))}</t></is></c>`;

/** One cell of a row; an empty one is left out. */
function cellAt(place: string, cell: ExportedCell, kind: Field["kind"] | undefined): string {
  if (cell === "") return "";
  if (typeof cell === "boolean") return `<c r="${place}" t="b"><v>${cell ? 1 : 0}</v></c>`;
  // If a custom field has become a date field, older stored texts stay as they are.
  if (kind === "date" && typeof cell === "string" && isDate(cell) && cell >= FIRST_DATE)
    return `<c r="${place}" s="${DATE}"><v>${(Date.parse(`${cell}T00:00:00Z`) - DAY_ZERO) / DAY}</v></c>`;
  const value = kind === "number" && typeof cell === "string" ? asNumber(cell) : cell;
  return typeof value === "number" ? `<c r="${place}"><v>${value}</v></c>` : textCell(place, value);
}

/** The text of the sheet, a page of rows at a time: the first row is the header, which stays in view. */
async function* sheetOf(
  fields: readonly Field[],
  pages: AsyncIterable<ExportedCell[][]> | Iterable<ExportedCell[][]>,
): AsyncGenerator<string> {
  const columns = fields.map((_, index) => letters(index));
  const widths = fields.map(({ key, kind }, index) => {
    const format = kind === "date" ? ` style="${DATE}"` : "";
    return `<col min="${index + 1}" max="${index + 1}" width="${Math.max(12, Math.min(key.length + 3, 40))}" customWidth="1"${format}/>`;
  });
  const header = fields.map(({ key }, index) => textCell(`${columns[index]}1`, key, HEADER));
  yield `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>${widths.length > 0 ? `<cols>${widths.join("")}</cols>` : ""}<sheetData><row r="1">${header.join("")}</row>`;
  let line = 1;
  for await (const rows of pages) {
    let text = "";
    for (const row of rows) {
      line += 1;
      text += `<row r="${line}">${row.map((cell, index) => cellAt(`${columns[index]}${line}`, cell, fields[index]?.kind)).join("")}</row>`;
    }
    if (text !== "") yield text;
  }
  yield "</sheetData></worksheet>";
}

/** A workbook with one sheet, streamed page by page. Numbers, booleans and dates become typed cells, everything else text. */
export async function* workbookOf(
  fields: readonly Field[],
  pages: AsyncIterable<ExportedCell[][]> | Iterable<ExportedCell[][]>,
): AsyncGenerator<Buffer> {
  const archive = new ZipFile();
  const sheet = Readable.from(sheetOf(fields, pages), { objectMode: false });
  const out = archive.outputStream.pipe(new PassThrough());
  const fail = (error: unknown) => out.destroy(error as Error);
  archive.on("error", fail);
  sheet.on("error", fail);
  for (const [name, text] of Object.entries(PARTS)) archive.addBuffer(Buffer.from(XML + text), name);
  archive.addReadStream(sheet, "xl/worksheets/sheet1.xml");
  archive.end();
  try {
    for await (const chunk of out) yield chunk as Buffer;
  } finally {
    sheet.destroy();
  }
}
