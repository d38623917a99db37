import { shortened } from "../../values/stored-text.ts";
import { ImportRefused } from "../refused.ts";
import type { Cell, Fault } from "./cell.ts";
import { instantOfSerial } from "./date-cells.ts";
import { FIRST_ROW, type HeaderChoice, type SheetRow } from "./header.ts";
import { filledUp, type NumberFormat } from "./number-format.ts";
import type { PackedList } from "./packed.ts";
import { type FileLimits, MOST_COLUMNS, type Sheet, SheetBuilder, tooLarge, tooManyColumns } from "./sheet.ts";
import { contentsOf, formatAt, numberFormats, sharedTexts, TextCollector, type WorkbookSheet } from "./workbook.ts";
import { type Attributes, scanned, type XmlHandlers } from "./xml-events.ts";
import { brokenWorkbook, readZip, type ZipEntry } from "./zip.ts";

/** The data shared by a workbook's sheets. */
interface Shared {
  texts: PackedList<string | Fault>;
  formats: readonly NumberFormat[];
  isFrom1904: boolean;
}

/** Maximum sheets searched for known columns. */
const MOST_LOOKED_INTO = 20;

/**
 * Reads one sheet of a workbook, row by row: the chosen one, otherwise the first visible one with known columns, otherwise the first. A
 * formula counts as its result; a merged cell has its value in its first cell.
 * @throws ImportRefused if it is not a workbook, or exceeds a limit, even if packed small
 */
export async function readWorkbook(bytes: Uint8Array, limits: FileLimits, choice: HeaderChoice = FIRST_ROW): Promise<Sheet> {
  const { sheets, texts, styles, isFrom1904 } = await contentsOf(await readZip(bytes));
  const candidates = sheetsFor(sheets, choice);
  // Checked before anything is unpacked; an entry that unpacks to more than its declared size is rejected while it is read.
  const sizeWith = ({ entry }: WorkbookSheet) => [texts, styles, entry].reduce((sum, part) => sum + (part?.size ?? 0), 0);
  if (candidates.some((sheet) => sizeWith(sheet) > limits.unpacked)) throw tooLarge(limits);
  const shared: Shared = { texts: await sharedTexts(texts), formats: await numberFormats(styles), isFrom1904 };
  const chosen = await bestOf(candidates, shared, limits, choice);
  const builder = new SheetBuilder(limits, choice);
  for await (const { row, cells } of rowsOf(chosen.entry as ZipEntry, shared)) builder.add(row, cells);
  const ignored = sheets.filter((sheet) => sheet.isVisible && sheet !== chosen).map(({ name }) => name);
  return { ...builder.finish(), name: chosen.name, ...(ignored.length > 0 && { ignoredSheets: ignored }) };
}

/** The candidate sheets. @throws ImportRefused if none is readable, or the requested one does not exist */
function sheetsFor(sheets: readonly WorkbookSheet[], { sheet: wanted }: HeaderChoice): WorkbookSheet[] {
  if (wanted === undefined) {
    const [first, ...others] = sheets.filter(({ isVisible }) => isVisible);
    if (!first?.entry) throw brokenWorkbook();
    return [first, ...others.filter(({ entry }) => entry)].slice(0, MOST_LOOKED_INTO);
  }
  const named = (name: string) => name.trim().toLowerCase() === wanted.trim().toLowerCase();
  const found = sheets.find(({ name }) => named(name)) ?? (/^\d+$/.test(wanted) ? sheets[Number(wanted) - 1] : undefined);
  if (found?.entry) return [found];
  throw new ImportRefused(
    `The workbook has no sheet '${wanted}': it has ${sheets.map(({ name }) => name).join(", ")}.`,
    "sheet_not_found",
  );
}

/** The first sheet with several known columns, otherwise the first with one, otherwise the first. */
async function bestOf(
  candidates: readonly WorkbookSheet[],
  shared: Shared,
  limits: FileLimits,
  choice: HeaderChoice,
): Promise<WorkbookSheet> {
  const [first, ...others] = candidates as [WorkbookSheet, ...WorkbookSheet[]];
  if (others.length === 0) return first;
  let withOne: WorkbookSheet | undefined;
  for (const sheet of candidates) {
    const head = new SheetBuilder({ ...limits, rows: Number.POSITIVE_INFINITY }, { ...choice, row: undefined });
    for await (const { row, cells } of rowsOf(sheet.entry as ZipEntry, shared)) {
      head.add(row, cells);
      if (head.hasHeader) break;
    }
    if (head.known > 1) return sheet;
    if (head.known === 1) withOne ??= sheet;
  }
  return withOne ?? first;
}

/** The rows of a sheet, as they are unpacked. */
async function* rowsOf(entry: ZipEntry, shared: Shared): AsyncGenerator<SheetRow> {
  const rows: SheetRow[] = [];
  for await (const _ of scanned(
    entry,
    sheetHandlers(shared, (row) => rows.push(row)),
  ))
    yield* rows.splice(0);
  yield* rows;
}

/** Builds rows from the elements of a sheet (ECMA-376 part 1 §18.3.1). */
function sheetHandlers(shared: Shared, add: (row: SheetRow) => void): XmlHandlers {
  const text = new TextCollector();
  let row: SheetRow = { row: 0, cells: [] };
  let cell = { column: 0, attributes: {} as Attributes, hasValue: false, isFormula: false };
  let [isText, isPhonetic] = [false, false];
  return {
    open(name, attributes) {
      isText = name === "v" || (name === "t" && !isPhonetic);
      if (name === "row") {
        row = { row: placeOf(attributes.r) ?? row.row + 1, cells: [] };
        cell = { ...cell, column: 0 };
      } else if (name === "c") {
        cell = { column: columnOf(attributes.r) ?? cell.column + 1, attributes, hasValue: false, isFormula: false };
        text.take();
      } else if (name === "f") cell.isFormula = true;
      else if (name === "rPh") isPhonetic = true;
      if (isText) cell.hasValue = true;
    },
    text: (piece) => isText && text.add(piece),
    close(name) {
      isText = false;
      if (name === "rPh") isPhonetic = false;
      if (name === "c") put(row.cells, cell.column, cellValue(cell, text.take(), shared));
      if (name === "row") add(row);
    },
  };
}

function put(cells: Cell[], column: number, value: Cell): void {
  if (value === "") return;
  if (column > MOST_COLUMNS) throw tooManyColumns();
  while (cells.length < column - 1) cells.push("");
  cells[column - 1] = value;
}

function placeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const place = Number(text);
  if (!Number.isSafeInteger(place) || place < 1) throw brokenWorkbook();
  return place;
}

/** The column of a reference such as `AB12`, from 1. */
function columnOf(reference: string | undefined): number | undefined {
  if (reference === undefined) return undefined;
  const [, letters] = /^([A-Z]{1,4})\d*$/.exec(reference) ?? [];
  if (letters === undefined) throw brokenWorkbook();
  return [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0);
}

/** A formula that no program has calculated yet; it is not blank. */
const NOT_CALCULATED: Fault = { fault: "a formula without a result" };

/** The value of a cell by its type (ECMA-376 part 1 §18.18.11). */
function cellValue(
  { attributes, hasValue, isFormula }: { attributes: Attributes; hasValue: boolean; isFormula: boolean },
  given: string | Fault,
  { texts, formats, isFrom1904 }: Shared,
): Cell {
  if (typeof given !== "string") return given;
  const type = attributes.t ?? "n";
  if (!hasValue) return isFormula ? NOT_CALCULATED : "";
  if (type === "s") return given.trim() === "" ? "" : sharedText(texts, Number(given));
  if (type === "str" || type === "inlineStr") return unescaped(given);
  if (type === "e") return { fault: given.trim() || "#ERROR" };
  if (given.trim() === "") return "";
  if (type === "b") return given.trim() === "1" || given.trim() === "true";
  if (type === "d") return dateText(given.trim());
  const value = Number(given);
  if (!Number.isFinite(value)) return { fault: shortened(given, 60) };
  const { isDate, digits } = formatAt(formats, attributes.s);
  if (isDate) return isoOf(instantOfSerial(value + (isFrom1904 ? DAYS_TO_1904 : 0)), given);
  const shown = digits === undefined ? undefined : filledUp(value, digits);
  return shown === undefined || shown === String(value) ? value : { number: value, shown };
}

/** Days between the two epochs of workbooks. */
const DAYS_TO_1904 = 1462;

function sharedText(texts: PackedList<string | Fault>, index: number): Cell {
  if (!Number.isSafeInteger(index) || index < 0 || index >= texts.length) throw brokenWorkbook();
  const text = texts.at(index);
  return typeof text === "string" ? unescaped(text) : text;
}

function isoOf(date: Date, given: string): Cell {
  if (Number.isNaN(date.valueOf())) return { fault: given };
  const [day = "", time = ""] = date.toISOString().split("T");
  return time.startsWith("00:00:00") ? day : `${day}T${time.slice(0, 8)}`;
}

/** A date stored as text in a date cell; without an offset its zone is unknown. */
const dateText = (text: string): string => text.replace(/T00:00:00(?:\.0+)?Z?$/, "").replace(/(T\d\d:\d\d:\d\d)\.\d+$/, "$1");

/** Decodes characters that XML cannot contain, which workbooks write as `_x000D_` (ECMA-376 part 1 §22.9.2.19). */
const unescaped = (text: string): string =>
  text.includes("_x")
    ? text.replace(/_x([0-9A-F]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;
