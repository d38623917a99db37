import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type pg from "pg";
import { from, to } from "pg-copy-streams";
import type { Table } from "./catalogue.ts";

/** Size and hash of a byte stream. */
export interface Measured {
  bytes: number;
  /** SHA-256 in hex. */
  sha256: string;
}

/** Measures a stream and pipes it into `sink`, if there is one. @param seen is called with each chunk */
export async function measured(source: Readable, sink?: Writable, seen?: (part: Buffer) => void): Promise<Measured> {
  const hash = createHash("sha256");
  let bytes = 0;
  const look = async function* (parts: AsyncIterable<Buffer>) {
    for await (const part of parts) {
      hash.update(part);
      bytes += part.length;
      seen?.(part);
      if (sink) yield part;
    }
  };
  if (sink) await pipeline(source, look, sink);
  else await pipeline(source, look);
  return { bytes, sha256: hash.digest("hex") };
}

/** Opens a new file that only its owner can read; it is flushed to disk when closed. Opening fails if the file exists. */
const newFile = (file: string): Writable => createWriteStream(file, { flags: "wx", mode: 0o600, flush: true });

/** Writes a new file that only its owner can read, and flushes it to disk. @throws Error if the file exists */
export const writeMeasured = (source: Readable, file: string): Promise<Measured> => measured(source, newFile(file));

/** Measures a file's content. */
export const measuredFile = (file: string): Promise<Measured> => measured(createReadStream(file));

/**
 * Copies in text format. Unlike the binary format, text reads the same on every machine and version of PostgreSQL, so any of them can load
 * the backup, and the same rows in the same order give the same bytes.
 */
const copyOut = ({ sql, columns, order }: Table) =>
  to(`copy (select ${columns.join(", ")} from ${sql} t order by ${order}) to stdout`);

/** Makes the text of values independent of the session, and disables the timeouts that would abort a long copy. */
export const COPY_SESSION = `
  set local timezone = 'UTC'; set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres'; set local bytea_output = 'hex';
  set local extra_float_digits = 1; set local client_encoding = 'UTF8';
  set local statement_timeout = 0; set local lock_timeout = 0; set local idle_in_transaction_session_timeout = 0`;

/**
 * Copies a table's rows and counts them: each ends with a line feed, and COPY escapes all others. The row count the server reports is
 * unusable: it may arrive after the last row.
 */
async function counted(client: pg.ClientBase, table: Table, sink?: Writable): Promise<Measured & { rows: number }> {
  let rows = 0;
  const size = await measured(client.query(copyOut(table)), sink, (part) => {
    for (let at = part.indexOf(10); at >= 0; at = part.indexOf(10, at + 1)) rows += 1;
  });
  return { ...size, rows };
}

/** Writes the rows of a table to a new file. */
export const copyToFile = (client: pg.ClientBase, table: Table, file: string): Promise<Measured & { rows: number }> =>
  counted(client, table, newFile(file));

/** Measures a table's rows as `copyToFile` would write them. */
export const measuredTable = (client: pg.ClientBase, table: Table): Promise<Measured & { rows: number }> =>
  counted(client, table);

/** Loads rows from a file into a table. */
export const copyFromFile = (client: pg.ClientBase, { sql, columns }: Table, file: string): Promise<void> =>
  pipeline(createReadStream(file), client.query(from(`copy ${sql} (${columns.join(", ")}) from stdin`)));
