import type { Readable } from "node:stream";
import type { WriteStream } from "node:tty";
import type pg from "pg";
import type { Config } from "../core/config/config.ts";
import type { Organisation } from "../core/declare/principal.ts";

/** An option as the table declares it; parser and help both use this. */
export interface Option {
  about: string;
  /** Placeholder of the value in the help, for instance `SLUG`; without it the option is a switch. */
  value?: string;
  required?: boolean;
  /** The option can be repeated. */
  multiple?: boolean;
}

export interface Argument {
  name: string;
  about: string;
}

/** Output of a command: one JSON document, and the lines a person reads. */
export interface Outcome {
  json: unknown;
  text: string[];
  /** A sentence for stderr; the command then ends with status 2. */
  refused?: string;
}

/** The options and arguments of one call, read by the names of the table. */
export interface CommandInput {
  /** An option or argument; undefined if omitted. */
  text(name: string): string | undefined;
  /** An option or argument that the table requires. */
  need(name: string): string;
  flag(name: string): boolean;
  /** All values of an option, each split at commas. */
  list(name: string): string[];
  /** All values of an option as typed. */
  all(name: string): string[];
}

/** Input of a command. */
export interface Call extends CommandInput {
  config: Config;
  /** Connection as the role that owns the tables, in one transaction that commits if the command succeeds. */
  client: pg.ClientBase;
  ownerUrl: string;
  /** Migrations applied when the database was opened. */
  migrated: string[];
  stdin: Readable;
  /** Where progress is drawn; undefined unless standard error is a terminal. */
  terminal: WriteStream | undefined;
  /** The organisation of `--org`, or the only one. */
  organisation(): Promise<Organisation>;
  /** Runs work that uses the actors' own rules, with the application role's pool open. */
  withPool<T>(work: () => Promise<T>): Promise<T>;
  /** Prints a remark for the operator in addition to the output. */
  note(line: string): void;
}

/** Input of a command that opens the installation itself. */
export type Alone = CommandInput & Pick<Call, "config" | "note">;

/** Input of a command that reads the environment itself, so that it also runs with wrong settings. */
export type Unopened = CommandInput & { env: NodeJS.ProcessEnv };

export type Command =
  | OpenedCommand
  | (Described & { alone(call: Alone): Promise<Outcome> })
  | (Described & { unopened(call: Unopened): Promise<Outcome> });

/** A command that runs with the installation already open. */
export type OpenedCommand = Described & Opened;

interface Described {
  /** One to three words, for instance `user create`. */
  name: string;
  about: string;
  /** Positional arguments; each can be given as an option of the same name instead. */
  arguments?: readonly Argument[];
  options?: Readonly<Record<string, Option>>;
  /** More lines for the command's own help. */
  details?: readonly string[];
}

interface Opened {
  /** Set if `run` opens transactions of its own and must not run inside the owner connection's transaction. */
  ownTransactions?: boolean;
  run(call: Call): Promise<Outcome>;
}

/** The command line was used incorrectly; the message is one sentence. */
export class UsageError extends Error {
  override name = "UsageError";
}

export const ORG: Option = { value: "SLUG", about: "The organisation; not needed while there is only one" };

/** Reads a secret from standard input up to its end, without the last line break. */
export async function readSecret(stdin: Readable): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stdin) parts.push(Buffer.from(part as Buffer));
  return Buffer.concat(parts)
    .toString("utf8")
    .replace(/\r?\n$/, "");
}

/** Formats rows as lines with aligned columns. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] as number))
      .join("  ")
      .trimEnd(),
  );
}
