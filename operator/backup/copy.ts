import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type pg from "pg";
import { from, to } from "pg-copy-streams";
import type { Table } from "./catalogue.ts";

/** What a stream of bytes was. */
export interface Measured {
  bytes: number;
  /** SHA-256 in hex. */
  sha256: string;
}

/** Measures a stream on its way into `sink`, or into nothing. @param seen is called with each part of it */
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

/** A new file that only its owner may read, safe on disk once it is written. Opening fails when it exists. */
const newFile = (file: string): Writable => createWriteStream(file, { flags: "wx", mode: 0o600, flush: true });

/** Writes a new file that only its owner may read, and sees it safe on disk. @throws Error when the file exists */
export const writeMeasured = (source: Readable, file: string): Promise<Measured> => measured(source, newFile(file));

/** What a file holds. */
export const measuredFile = (file: string): Promise<Measured> => measured(createReadStream(file));

/**
 * COPY in text: unlike the binary format it means the same to every version of PostgreSQL and every machine, so a backup of one loads
 * into another, and the same rows in the same order are the same bytes.
 */
const copyOut = ({ sql, columns, order }: Table) =>
  to(`copy (select ${columns.join(", ")} from ${sql} t order by ${order}) to stdout`);

/** Sees to it that texts of values do not depend on the session, and that a long copy is not cut off. */
export const COPY_SESSION = `
  set local timezone = 'UTC'; set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres'; set local bytea_output = 'hex';
  set local extra_float_digits = 1; set local client_encoding = 'UTF8';
  set local statement_timeout = 0; set local lock_timeout = 0; set local idle_in_transaction_session_timeout = 0`;

/**
 * Copies the rows of a table, and counts them: each ends with the one line feed that COPY does not escape. What the server says at the end
 * of a COPY is no use here, for it may arrive after the last row did.
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

/** The rows of a table as `copyToFile` would write them. */
export const measuredTable = (client: pg.ClientBase, table: Table): Promise<Measured & { rows: number }> =>
  counted(client, table);

/** Loads the rows of a file into a table. */
export const copyFromFile = (client: pg.ClientBase, { sql, columns }: Table, file: string): Promise<void> =>
  pipeline(createReadStream(file), client.query(from(`copy ${sql} (${columns.join(", ")}) from stdin`)));
