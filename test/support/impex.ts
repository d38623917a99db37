import http from "node:http";
import { buffer } from "node:stream/consumers";
import excel from "exceljs";
import type { Answer } from "./http.ts";
import { fileBody } from "./multipart.ts";
import type { Caller } from "./service.ts";

const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/** Sends a spreadsheet to `/impex/<entity>`: text as CSV, bytes as a workbook unless the file name differs. */
export function sendSheet(
  caller: Caller,
  entity: string,
  content: string | Buffer,
  query = "",
  name = typeof content === "string" ? "a.csv" : "a.xlsx",
): Promise<Answer> {
  const { body, headers } = fileBody(content, name.endsWith(".xlsx") ? XLSX : "text/csv", name);
  return caller.post(`/impex/${entity}${query}`, body, { headers });
}

/** Imports it for real and returns the report. @throws Error unless the status is 200 */
export async function importSheet(caller: Caller, entity: string, content: string | Buffer) {
  const { status, body, text } = await sendSheet(caller, entity, content, "?dry_run=false");
  if (status !== 200) throw new Error(`the import was refused: ${status} ${text}`);
  return body;
}

/** A report's errors, one text each. */
export const errorsOf = ({ errors }: { errors: { row: number; column: string; error: string }[] }): string[] =>
  errors.map(({ row, column, error }) => `${row} ${column} ${error}`);

/** Downloads an export. */
export function fetchSheet(port: number, host: string, key: string, path: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const request = http.get(
      { port, host: "127.0.0.1", path: `/api/v1${path}`, headers: { Host: host, "X-API-Key": key } },
      (answer) => {
        if (answer.statusCode === 200) resolve(buffer(answer));
        else reject(new Error(`${path} answered ${answer.statusCode}`));
      },
    );
    request.on("error", reject);
  });
}

/** Reads the cells of a workbook's first sheet. */
export async function cellsOf(bytes: Buffer): Promise<unknown[][]> {
  const book = new excel.Workbook();
  await book.xlsx.load(bytes as unknown as ArrayBuffer);
  const rows: unknown[][] = [];
  book.worksheets[0]?.eachRow((row) => rows.push((row.values as unknown[]).slice(1)));
  return rows;
}

/** Creates a workbook with one sheet of these rows. */
export async function workbookOf(rows: unknown[][]): Promise<Buffer> {
  const book = new excel.Workbook();
  book.addWorksheet("Blad1").addRows(rows);
  return Buffer.from((await book.xlsx.writeBuffer()) as ArrayBuffer);
}
