import { createWriteStream } from "node:fs";
import path from "node:path";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { columnsOf, isRow, isRows, record, table } from "./table.ts";
import { StateError, UsageError } from "./usage.ts";

/** Where the program writes. */
export interface Streams {
  out: Writable & { isTTY?: boolean };
  err: Writable;
}

/** How answers are written. */
export interface Style {
  json: boolean;
  columns: readonly string[] | undefined;
}

/** A file of an answer, as the client returns it. */
export interface FileAnswer {
  filename: string | undefined;
  stream: ReadableStream<Uint8Array>;
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

/** Writes and waits until the stream takes more. */
export async function write(stream: Writable, text: string): Promise<void> {
  if (!stream.write(text)) await new Promise((resolve) => stream.once("drain", resolve));
}

/** @throws UsageError for a column that no row has */
function chosen(rows: readonly Readonly<Record<string, unknown>>[], { columns }: Style): string[] {
  if (!columns) return columnsOf(rows);
  const [first] = rows;
  const missing = first ? columns.filter((name) => !rows.some((row) => Object.hasOwn(row, name))) : [];
  if (first && missing.length > 0)
    throw new UsageError(`There is no column ${missing.join(", ")}: ${Object.keys(first).join(", ")}.`);
  return [...columns];
}

/** Writes a value: a table of rows, a line for each member of a row, or JSON. */
export async function writeValue(value: unknown, style: Style, { out, err }: Streams): Promise<void> {
  if (value === undefined) return;
  if (style.json) return write(out, json(value));
  const isPage = isRow(value) && isRows(value["items"]);
  const rows = isRows(value) ? value : isPage ? (value["items"] as Record<string, unknown>[]) : undefined;
  if (!rows) return write(out, isRow(value) ? record(value) : json(value));
  if (rows.length > 0) await write(out, table(rows, chosen(rows, style), true));
  const { next_cursor: next, total } = isPage ? (value as Record<string, unknown>) : {};
  if (typeof next === "string") await write(err, `${rows.length} of ${total ?? "more"}; --all has all.\n`);
  else if (rows.length === 0) await write(err, "No rows.\n");
}

/** Writes the rows of all pages as they come: a table whose columns are those of the first page, or one list of JSON. */
export async function writePages(pages: AsyncIterable<unknown>, style: Style, { out, err }: Streams): Promise<void> {
  let count = 0;
  let columns: string[] = [];
  const widths: number[] = [];
  if (style.json) await write(out, "[");
  for await (const page of pages) {
    const rows = (Array.isArray(page) ? page : (page as { items: unknown[] }).items) as Record<string, unknown>[];
    if (style.json) {
      const texts = rows.map((row, index) => `${count + index > 0 ? "," : ""}\n${JSON.stringify(row)}`);
      await write(out, texts.join(""));
    } else if (rows.length > 0) {
      if (count === 0) columns = chosen(rows, style);
      await write(out, table(rows, columns, count === 0, widths));
    }
    count += rows.length;
  }
  if (style.json) await write(out, count > 0 ? "\n]\n" : "]\n");
  else if (count === 0) await write(err, "No rows.\n");
}

/** A name that the service proposes, without anything that leads out of the folder. */
export const safeName = (name: string | undefined): string =>
  path.basename((name ?? "").replaceAll("\\", "/")).replace(/^\.+/, "") || "download";

/**
 * Writes a file: to the path that was given, to the standard output for `-` and where that is no terminal, or else under its proposed
 * name. A file that exists is replaced only where its path was given.
 * @throws StateError if it cannot be written
 */
export async function writeFile(file: FileAnswer, target: string | undefined, { out, err }: Streams): Promise<void> {
  const body = Readable.fromWeb(file.stream as Parameters<typeof Readable.fromWeb>[0]);
  if (target === "-" || (target === undefined && !out.isTTY)) return pipeline(body, out, { end: false });
  const name = target ?? safeName(file.filename);
  try {
    await pipeline(body, createWriteStream(name, { flags: target === undefined ? "wx" : "w" }));
  } catch (error) {
    throw new StateError(`${name} cannot be written: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}.`);
  }
  await write(err, `${name}\n`);
}
