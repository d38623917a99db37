import { buffer } from "node:stream/consumers";
import { decode } from "../../../core/impex/files/encoding.ts";
import { readZip, type ZipEntry } from "../../../core/impex/files/zip.ts";
import { ImportRefused } from "../../../core/impex/refused.ts";
import { readCamt } from "./camt.ts";
import { readNamedCsv } from "./csv.ts";
import { isAbnTab, isAsn, readAbnTab, readAsn } from "./csv-plain.ts";
import { isMt940, readMt940 } from "./mt940.ts";
import { MOST_ENTRIES, type ReadStatement } from "./read-statement.ts";
import { inFile, StatementUnreadable } from "./unreadable.ts";

/** A file of an upload with its statements. */
export interface ReadFile {
  name: string;
  statements: ReadStatement[];
}

const MOST_FILES = 400;
/** Most unpacked bytes of an archive. */
const MOST_UNPACKED = 100 * 1024 * 1024;
const ZIP_MARK = "504b0304";

/** The text of bytes. @throws StatementUnreadable */
function textOf(bytes: Uint8Array): string {
  try {
    return decode(bytes).replace(/^\ufeff/, "");
  } catch (error) {
    if (!(error instanceof ImportRefused)) throw error;
    throw new StatementUnreadable("unknown_format", "The file is neither UTF-8, UTF-16 with its mark, nor Windows-1252.");
  }
}

const isXml = (bytes: Uint8Array): boolean =>
  /^\s*</.test(
    Buffer.from(bytes.subarray(0, 1000))
      .toString("utf8")
      .replace(/^\ufeff/, ""),
  );

/** The statements of one file that is no archive, by what is in it; its name does not count. @throws StatementUnreadable */
async function statementsOf(bytes: Uint8Array): Promise<ReadStatement[]> {
  if (isXml(bytes)) return readCamt(bytes);
  const text = textOf(bytes);
  if (text.includes("\0")) throw new StatementUnreadable("unknown_format", "The file is not a text.");
  if (isMt940(text)) return readMt940(text);
  if (isAbnTab(text)) return readAbnTab(text);
  if (isAsn(text)) return readAsn(text);
  return readNamedCsv(text);
}

async function fileOf(name: string, bytes: Uint8Array): Promise<ReadFile> {
  try {
    const statements = await statementsOf(bytes);
    if (statements.length === 0) throw new StatementUnreadable("no_statement", "The file has no statement.");
    return { name, statements };
  } catch (error) {
    return inFile(error, name);
  }
}

/** Files that systems add to an archive, and folders. */
const isPassedOver = (name: string): boolean => name.endsWith("/") || /(^|\/)(__MACOSX\/|\.|Thumbs\.db$)/.test(name);

/** Runs a read of the archive. @throws StatementUnreadable */
async function unpacked<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ImportRefused)) throw error;
    throw new StatementUnreadable("broken_archive", "The archive cannot be read: it is damaged or encrypted.");
  }
}

async function filesOf(bytes: Uint8Array): Promise<ReadFile[]> {
  const entries = [...(await unpacked(() => readZip(bytes))).values()].filter(({ name }) => !isPassedOver(name));
  const size = entries.reduce((total, entry) => total + entry.size, 0);
  if (entries.length > MOST_FILES || size > MOST_UNPACKED)
    throw new StatementUnreadable("broken_archive", `The archive has more than ${MOST_FILES} files or 100 MB unpacked.`);
  if (entries.length === 0) throw new StatementUnreadable("no_statement", "The archive has no file.");
  const files: ReadFile[] = [];
  for (const entry of entries) files.push(await fileOf(entry.name, await bytesOf(entry)));
  return files;
}

async function bytesOf(entry: ZipEntry): Promise<Uint8Array> {
  const bytes = await unpacked(() => buffer(entry.bytes()));
  if (bytes.subarray(0, 4).toString("hex") !== ZIP_MARK) return bytes;
  return inFile(new StatementUnreadable("broken_archive", "The archive has another archive in it."), entry.name);
}

/**
 * The statements of an upload: a CAMT.053, an MT940, a bank's CSV, or a ZIP of those. All files can be read, or the upload is refused.
 * @param name the name of the uploaded file, for refusals
 * @throws StatementUnreadable with file, line or entry, and reason
 */
export async function readStatements(name: string, bytes: Uint8Array): Promise<ReadFile[]> {
  const isZip = Buffer.from(bytes.subarray(0, 4)).toString("hex") === ZIP_MARK;
  const files = isZip ? await filesOf(bytes).catch((error: unknown) => inFile(error, name)) : [await fileOf(name, bytes)];
  const entries = files.flatMap(({ statements }) => statements).reduce((most, one) => most + one.entries.length, 0);
  if (entries > MOST_ENTRIES)
    throw Object.assign(new StatementUnreadable("too_many_entries", `The upload has more than ${MOST_ENTRIES} entries.`), {
      file: name,
    });
  return files;
}
