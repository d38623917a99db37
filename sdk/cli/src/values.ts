import { openAsBlob, readFileSync } from "node:fs";
import path from "node:path";
import { type Flag, kebab } from "./commands.ts";
import { didYouMean, nearest, UsageError } from "./usage.ts";

/** Media types by the ending of a name: the service accepts a file whose declared type its bytes confirm. */
const TYPES: Readonly<Record<string, string>> = {
  csv: "text/csv",
  doc: "application/msword",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  eml: "message/rfc822",
  gif: "image/gif",
  ico: "image/x-icon",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  msg: "application/vnd.ms-outlook",
  pdf: "application/pdf",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain",
  webp: "image/webp",
  xls: "application/vnd.ms-excel",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  xml: "application/xml",
  zip: "application/zip",
};

/** Where `-` is read from; a test has its own. */
export type ReadStdin = () => Promise<string>;

/** The text itself, that of a file after `@`, or that of the standard input for `-`. @throws UsageError */
export async function textOf(given: string, stdin: ReadStdin): Promise<string> {
  if (given === "-") return stdin();
  if (!given.startsWith("@")) return given;
  try {
    return readFileSync(given.slice(1), "utf8");
  } catch (error) {
    throw new UsageError(`${given.slice(1)} cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
  }
}

/** @throws UsageError if the text is not JSON */
export async function jsonOf(name: string, given: string, stdin: ReadStdin): Promise<unknown> {
  const text = await textOf(given, stdin);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--${kebab(name)} is not JSON (${(error as Error).message}).`);
  }
}

async function fileOf(name: string, file: string): Promise<{ name: string; data: Blob }> {
  try {
    const type = TYPES[path.extname(file).slice(1).toLowerCase()] ?? "";
    return { name: path.basename(file), data: await openAsBlob(file, { type }) };
  } catch {
    throw new UsageError(`--${kebab(name)}: there is no file ${file}.`);
  }
}

function numberOf(name: string, kind: string, given: string): number {
  const value = Number(given);
  const isWhole = kind !== "integer" || Number.isSafeInteger(value);
  if (given.trim() === "" || !Number.isFinite(value) || !isWhole)
    throw new UsageError(`--${kebab(name)} needs ${kind === "integer" ? "a whole number" : "a number"}, not ${given}.`);
  return value;
}

/** One value of a flag. @throws UsageError if it is none of those that the flag takes */
export async function parsedValue({ name, kind = "text", values }: Flag, given: string, stdin: ReadStdin): Promise<unknown> {
  if (kind === "json") return jsonOf(name, given, stdin);
  if (kind === "file") return fileOf(name, given);
  if (kind === "integer" || kind === "number") return numberOf(name, kind, given);
  if (kind === "boolean") {
    if (given !== "true" && given !== "false") throw new UsageError(`--${kebab(name)} is true or false, not ${given}.`);
    return given === "true";
  }
  if (values && !values.includes(given)) {
    const near = nearest(given, values);
    throw new UsageError(
      `--${kebab(name)} has no value ${given}${near.length > 0 ? didYouMean(near) : `; it is one of ${values.join(", ")}.`}`,
    );
  }
  return given;
}
