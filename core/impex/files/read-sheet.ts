import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { ImportRefused } from "../refused.ts";
import { type Source, sourceOf } from "./encoding.ts";
import { FIRST_ROW, type HeaderChoice } from "./header.ts";
import type { FileLimits, Sheet } from "./sheet.ts";

const begins = (bytes: Uint8Array, ...start: number[]): boolean => start.every((byte, index) => bytes[index] === byte);

const IS_CARD = /^(?:\ufeff)?begin:vcard\s/i;

/** The first bytes of a source. */
async function headOf(source: Source): Promise<Uint8Array> {
  let head = new Uint8Array();
  for await (const bytes of source()) {
    head = Buffer.concat([head, bytes.subarray(0, 8)]);
    if (head.length >= 8) break;
  }
  return head;
}

/**
 * Reads a CSV file, a workbook (.xlsx) or cards of people (.vcf), which it distinguishes by their bytes.
 * @param choice of the sheet and header row
 * @throws ImportRefused for any other file and for exceeded limits
 */
export async function readSheet(file: Uint8Array | Source, limits: FileLimits, choice: HeaderChoice = FIRST_ROW): Promise<Sheet> {
  const source = typeof file === "function" ? file : sourceOf(file);
  const head = await headOf(source);
  if (begins(head, 0xd0, 0xcf, 0x11, 0xe0))
    throw new ImportRefused("The file is an old Excel workbook (.xls): save it as .xlsx or as CSV.");
  if (begins(head, 0x50, 0x4b)) {
    const bytes = typeof file === "function" ? await buffer(Readable.from(file())) : file;
    return (await import("./xlsx-reader.ts")).readWorkbook(bytes, limits, choice);
  }
  if (/^(?:\ufeff)?begin/i.test(Buffer.from(head).toString())) {
    const bytes = typeof file === "function" ? await buffer(Readable.from(file())) : file;
    if (IS_CARD.test(Buffer.from(bytes.subarray(0, 32)).toString()))
      return (await import("./vcard.ts")).readVcards(bytes, limits);
  }
  if (choice.sheet !== undefined)
    throw new ImportRefused("A CSV file has no sheets: omit the choice of a sheet.", "sheet_not_found");
  return (await import("./csv.ts")).readCsvFrom(source, limits, choice);
}
