import { posix } from "node:path";
import { Readable } from "node:stream";
import type { CellValue, Row, stream } from "exceljs";
import { ImportRefused } from "../refused.ts";
import { type Cell, instantOfSerial } from "./cell.ts";
import { type FileLimits, MOST_COLUMNS, type Sheet, SheetBuilder } from "./sheet.ts";
import { readZip, storedZip, type ZipEntry } from "./zip.ts";

/** Largest part that is read in one piece to find the sheets. */
const MOST_CONTENTS = 1024 * 1024;
const broken = (cause?: unknown) =>
  Object.assign(new ImportRefused("The file is no workbook that can be read: save it as .xlsx again.", "invalid_xlsx"), {
    cause,
  });

/** Starts at the beginning of a name only, so that the time a tag takes grows with its length and no faster. */
const attributes = (tag: string): Map<string, string> =>
  new Map(
    [...tag.matchAll(/(?<![\w:])([\w:]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)].map(([, name = "", one, other]) => [
      name,
      one ?? other ?? "",
    ]),
  );
const tags = (xml: string, name: string) =>
  [...xml.matchAll(new RegExp(`<(?:\\w+:)?${name}\\s[^<>]*>`, "g"))].map(([tag]) => attributes(tag));

/** What a workbook says about itself: its sheets in order, and where their shared texts and number formats stand. */
async function contentsOf(entries: ReadonlyMap<string, ZipEntry>) {
  const read = async (name: string): Promise<string> => {
    const entry = entries.get(name);
    if (!entry || entry.size > MOST_CONTENTS) throw broken();
    const parts: Uint8Array[] = [];
    for await (const part of entry.bytes()) parts.push(part);
    return Buffer.concat(parts).toString("utf8");
  };
  const [workbook, relations] = [await read("xl/workbook.xml"), await read("xl/_rels/workbook.xml.rels")];
  const targets = tags(relations, "Relationship").map((relation) => ({
    id: relation.get("Id"),
    kind: posix.basename(relation.get("Type") ?? ""),
    path: posix.resolve("/xl", relation.get("Target") ?? "").slice(1),
  }));
  const partOf = (kind: string) => entries.get(targets.find((target) => target.kind === kind)?.path ?? "");
  const pathOf = new Map(targets.map(({ id, path }) => [id, path]));
  const sheets = tags(workbook, "sheet")
    .filter((sheet) => (sheet.get("state") ?? "visible") === "visible")
    .map((sheet) => ({
      name: sheet.get("name") ?? "",
      entry: entries.get(pathOf.get(sheet.get("r:id") ?? sheet.get("id")) ?? ""),
    }));
  return { sheets, texts: partOf("sharedStrings"), formats: partOf("styles") };
}

/** As much of the end of a part as its last tag takes. */
const TAIL = 200;
const ends = (root: string): RegExp => new RegExp(`(</(\\w+:)?${root}>|<(\\w+:)?${root}[^<>]*/>)(\\s|<!--[^<>]*-->)*$`);

/** Longest tag of the styles, and most brackets in it: a number format holds 255 characters at most (ECMA-376 part 1 §18.8.30). */
const MOST_IN_STYLE = { bytes: 4096, brackets: 64 };
const [TAG, BRACKET] = [0x3c, 0x5b];

/**
 * Looks at the styles as they are unpacked. The library searches the format of every number for brackets, in time that grows with their
 * number and the length together.
 */
function styleGuard(): (chunk: Uint8Array) => void {
  let [bytes, brackets] = [0, 0];
  return (chunk) => {
    for (const byte of chunk) {
      bytes = byte === TAG ? 0 : bytes + 1;
      brackets = byte === TAG ? 0 : brackets + (byte === BRACKET ? 1 : 0);
      if (bytes > MOST_IN_STYLE.bytes || brackets > MOST_IN_STYLE.brackets) throw broken();
    }
  };
}

/**
 * Reads all of the entries once, so that one that lies about its size, or ends in the middle, is refused before anything is made of it.
 */
async function prove(
  parts: readonly (ZipEntry & { end: RegExp; guard?: (chunk: Uint8Array) => void })[],
  { unpacked }: FileLimits,
): Promise<void> {
  const size = parts.reduce((sum, part) => sum + part.size, 0);
  if (size > unpacked)
    throw new ImportRefused(`The workbook unpacks to more than ${Math.round(unpacked / 2 ** 20)} MiB.`, "file_too_large");
  for (const part of parts) {
    let tail = "";
    for await (const chunk of part.bytes()) {
      part.guard?.(chunk);
      tail = (tail + Buffer.from(chunk.slice(-TAIL)).toString("latin1")).slice(-TAIL);
    }
    // The parser takes the end of the file for the end of the document.
    if (!part.end.test(tail)) throw broken();
  }
}

/**
 * Reads the first visible sheet of a workbook, row by row. Of a formula its result counts; a merged cell stands where it begins.
 * @throws ImportRefused for what is no workbook and for what breaks a limit, however small it was packed
 */
export async function readWorkbook(bytes: Uint8Array, limits: FileLimits): Promise<Sheet> {
  const entries = readZip(bytes);
  const { sheets, texts, formats } = await contentsOf(entries);
  const [first, ...others] = sheets;
  if (!first?.entry) throw broken();
  const parts = [
    { part: texts, end: ends("sst") },
    { part: formats, end: ends("styleSheet"), guard: styleGuard() },
    { part: first.entry, end: ends("worksheet") },
  ];
  await prove(
    parts.flatMap(({ part, ...proof }) => (part ? [{ ...part, ...proof }] : [])),
    limits,
  );
  const named = (name: string, entry: ZipEntry | undefined) => (entry ? [{ name, entry }] : []);
  const source = Readable.from(
    storedZip([
      ...named("xl/_rels/workbook.xml.rels", entries.get("xl/_rels/workbook.xml.rels")),
      ...named("xl/workbook.xml", entries.get("xl/workbook.xml")),
      ...named("xl/sharedStrings.xml", texts ?? NO_TEXTS),
      ...named("xl/styles.xml", formats),
      ...named("xl/worksheets/sheet1.xml", first.entry),
    ]),
    { objectMode: false },
  );
  const sheet = new SheetBuilder(limits);
  try {
    for await (const { number, cells } of rowsOf(source)) sheet.add(number, cells);
  } catch (error) {
    throw error instanceof ImportRefused ? error : broken(error);
  } finally {
    source.destroy();
  }
  return { ...sheet.finish(), ...(others.length > 0 && { ignoredSheets: others.map(({ name }) => name) }) };
}

const EMPTY_TABLE = Buffer.from('<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"/>');
/** Without a table of shared texts the reader would put the sheet aside in a file of its own. */
const NO_TEXTS: ZipEntry = {
  name: "",
  size: EMPTY_TABLE.length,
  async *bytes() {
    yield EMPTY_TABLE;
  },
};

async function* rowsOf(source: Readable): AsyncGenerator<{ number: number; cells: Cell[] }> {
  const { default: excel } = await import("exceljs");
  const options = {
    worksheets: "emit",
    sharedStrings: "cache",
    styles: "cache",
    hyperlinks: "ignore",
    entries: "ignore",
  } as const;
  const reader: stream.xlsx.WorkbookReader = new excel.stream.xlsx.WorkbookReader(source as never, options);
  for await (const worksheet of reader) {
    let number = 0;
    for await (const row of worksheet) {
      number = row.number || number + 1;
      yield { number, cells: cellsOf(row) };
    }
  }
}

function cellsOf(row: Row): Cell[] {
  const cells: Cell[] = [];
  row.eachCell({ includeEmpty: false }, (cell, column) => {
    const { value: given, result, numFmt: format } = cell;
    // The library leaves a result of 0 or "" out of the value.
    const isFormula = typeof given === "object" && given !== null && "formula" in given;
    const value = cellOf(isFormula && result !== undefined ? result : given, format);
    if (value === "") return;
    if (column > MOST_COLUMNS)
      throw new ImportRefused(`The file has more than ${MOST_COLUMNS} columns.`, "too_many_columns", { limit: MOST_COLUMNS });
    while (cells.length < column - 1) cells.push("");
    cells.push(value);
  });
  return cells;
}

/** What a workbook holds in a cell. @param format its number format, which alone tells a date from a number */
export function cellOf(value: CellValue | undefined, format: string | undefined): Cell {
  if (value === null || value === undefined) return "";
  if (value instanceof Date) return isoOf(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) return null;
    return isDateFormat(format) ? isoOf(instantOfSerial(value)) : value;
  }
  if (typeof value === "string") return unescaped(value);
  if (typeof value !== "object") return value;
  if ("error" in value) return null;
  if ("richText" in value) return unescaped(value.richText.map(({ text }) => text ?? "").join(""));
  // A formula nobody has calculated has no result; it is not blank.
  if ("formula" in value || "sharedFormula" in value)
    return value.result === undefined ? null : cellOf(value.result as CellValue, format);
  return "text" in value ? cellOf(value.text as CellValue, format) : null;
}

function isoOf(date: Date): Cell {
  if (Number.isNaN(date.valueOf())) return null;
  const [day = "", time = ""] = date.toISOString().split("T");
  return time.startsWith("00:00:00") ? day : `${day}T${time.slice(0, 8)}Z`;
}

const isDateFormat = (format = "General"): boolean =>
  /[ymdhs]/i.test(format.replace(/\[[^\]]*\]|"[^"]*"|\\./g, "")) && format !== "General";

/** Characters XML cannot hold stand in a workbook as `_x000D_` (ECMA-376 part 1 §22.9.2.19). */
const unescaped = (text: string): string =>
  text.includes("_x")
    ? text.replace(/_x([0-9A-F]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;
