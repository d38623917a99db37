import { ImportRefused } from "../refused.ts";
import type { FileLimits, Sheet } from "./sheet.ts";

const begins = (bytes: Uint8Array, ...start: number[]): boolean => start.every((byte, index) => bytes[index] === byte);

/**
 * Reads a CSV file or a workbook (.xlsx); which of both it is, its bytes tell.
 * @throws ImportRefused for anything else and for a file that breaks a limit
 */
export async function readSheet(bytes: Uint8Array, limits: FileLimits): Promise<Sheet> {
  if (begins(bytes, 0xd0, 0xcf, 0x11, 0xe0))
    throw new ImportRefused("The file is an old Excel workbook (.xls): save it as .xlsx or as CSV.");
  if (begins(bytes, 0x50, 0x4b)) return (await import("./xlsx-reader.ts")).readWorkbook(bytes, limits);
  return (await import("./csv.ts")).readCsv(bytes, limits);
}
