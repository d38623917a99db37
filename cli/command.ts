import type { Readable } from "node:stream";
import type { WriteStream } from "node:tty";
import type pg from "pg";
import type { Config } from "../core/config/config.ts";
import type { Organisation } from "../core/request/context.ts";

/** An option as the table declares it; parsing and help both derive from this. */
export interface Option {
  about: string;
  /** What stands for the value in the help, for instance `SLUG`; without it the option is a switch. */
  value?: string;
  required?: boolean;
  /** May be given several times. */
  multiple?: boolean;
}

export interface Argument {
  name: string;
  about: string;
}

/** What a command answers: one JSON document, and the lines a person reads. */
export interface Outcome {
  json: unknown;
  text: string[];
  /** A sentence for stderr; the command then ends with status 2. */
  refused?: string;
}

/** The options and arguments of one call, read by the names of the table. */
export interface Given {
  /** An option or argument; undefined when it was not given. */
  text(name: string): string | undefined;
  /** An option or argument that the table requires. */
  need(name: string): string;
  flag(name: string): boolean;
  /** All values of an option, each split at commas. */
  list(name: string): string[];
  /** All values of an option as typed. */
  all(name: string): string[];
}

/** What a command works with. */
export interface Call extends Given {
  config: Config;
  /** Connection as the role that owns the tables, inside one transaction that commits when the command succeeds. */
  client: pg.ClientBase;
  ownerUrl: string;
  /** Steps the database was brought forward by when it was opened. */
  migrated: string[];
  stdin: Readable;
  /** Where progress is shown; undefined unless standard error is a terminal. */
  terminal: WriteStream | undefined;
  /** The organisation of `--org`, or the only one. */
  organisation(): Promise<Organisation>;
  /** Runs work that goes through the actors' own rules, with the pool of the application role open. */
  withPool<T>(work: () => Promise<T>): Promise<T>;
  /** A remark for the operator beside the answer. */
  note(line: string): void;
}

/** What a command works with that opens the installation itself. */
export type Alone = Given & Pick<Call, "config" | "note">;

/** One command of the table. */
export type Command = OpenedCommand | (Described & { alone(call: Alone): Promise<Outcome> });

/** A command that finds the installation open. */
export type OpenedCommand = Described & Opened;

interface Described {
  /** One or two words, for instance `user create`. */
  name: string;
  about: string;
  /** Positional arguments; each may be given as an option of the same name instead. */
  arguments?: readonly Argument[];
  options?: Readonly<Record<string, Option>>;
  /** More lines for the command's own help. */
  details?: readonly string[];
}

interface Opened {
  /** Work that must not run inside the transaction of the owner's connection: it opens transactions of its own. */
  ownTransactions?: boolean;
  run(call: Call): Promise<Outcome>;
}

/** The command line was used wrongly; the message is one sentence. */
export class UsageError extends Error {
  override name = "UsageError";
}

export const ORG: Option = { value: "SLUG", about: "The organisation; not needed while there is only one" };

/** Reads a secret from standard input: everything up to the end, without the last line break. */
export async function readSecret(stdin: Readable): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stdin) parts.push(Buffer.from(part as Buffer));
  return Buffer.concat(parts)
    .toString("utf8")
    .replace(/\r?\n$/, "");
}

/** Lines of a table whose columns line up. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] as number))
      .join("  ")
      .trimEnd(),
  );
}
