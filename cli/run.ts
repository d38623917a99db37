import type { Readable } from "node:stream";
import type { WriteStream } from "node:tty";
import pg from "pg";
import { type Config, ConfigurationError, isEmbedded, readConfig } from "../core/config/config.ts";
import { closeDatabase, databaseIsOpen, openDatabase, translated } from "../core/database/connection/database.ts";
import { StartRefused } from "../core/embedded/server.ts";
import { isApiError } from "../core/errors/errors.ts";
import { leftWork } from "../core/jobs/channel.ts";
import { JobRefused } from "../core/jobs/operating.ts";
import { MigrationRefused } from "../migrations/run.ts";
import { type Installation, mainSecret, openInstallation, prepareRuntime } from "../operator/boot.ts";
import { chooseOrganisation, OperatorError } from "../operator/organisations.ts";
import { type Parsed, readArguments } from "./arguments.ts";
import { type Call, type Command, type OpenedCommand, type Outcome, UsageError } from "./command.ts";
import { commandHelp, groupHelp } from "./help.ts";
import { allCommands } from "./table.ts";

/** Input and output of a command-line run. */
export interface Surroundings {
  env: NodeJS.ProcessEnv;
  stdin: Readable;
  out(text: string): void;
  err(text: string): void;
  /** Where progress is drawn; undefined unless standard error is a terminal. */
  terminal?: WriteStream;
}

const REFUSALS = [UsageError, OperatorError, JobRefused, ConfigurationError, MigrationRefused, StartRefused];

/** Describes the loss of the database during a command in one sentence; null for any other error. */
function lossOf(error: unknown): string | null {
  const lost = translated(error);
  if (!isApiError(lost) || lost.type !== "unavailable") return null;
  const { cause } = lost as { cause?: unknown };
  const why = cause instanceof Error ? `: ${cause.message}` : "";
  return `PostgreSQL is unreachable, or has aborted this command${why}. Unfinished work was rolled back.`;
}

/** Describes a refusal by the service's own rules in one sentence; null for any other error. */
function sentenceOf(error: unknown): string | null {
  if (REFUSALS.some((kind) => error instanceof kind)) return (error as Error).message;
  if (!isApiError(error) || error.type === "unavailable") return null;
  const fields = Object.entries((error.data as { fields?: Record<string, string> } | undefined)?.fields ?? {});
  return [error.message, ...fields.map(([field, key]) => `${field}: ${key}`)].join(", ");
}

/**
 * Runs one command.
 * @param typed the words after the program's name
 * @returns exit status: 0 done, 1 unexpected, 2 refused
 */
export async function runCli(typed: readonly string[], { env, stdin, out, err, terminal }: Surroundings): Promise<number> {
  const print = (lines: readonly string[]) => lines.length > 0 && out(`${lines.join("\n")}\n`);
  const argv = typed[0] === "--json" ? [...typed.slice(1), "--json"] : typed;
  try {
    const found = findCommand(argv, await allCommands());
    if ("help" in found) {
      print(found.help);
      return 0;
    }
    const { command, words } = found;
    const parsed = readArguments(command, words);
    if (parsed.help) {
      print(commandHelp(command));
      return 0;
    }
    const surroundings = { stdin, terminal, note: (line: string) => err(`${line}\n`) };
    const outcome =
      "unopened" in command
        ? await command.unopened({ ...parsed, env })
        : await execute(command, parsed, readConfig(env), surroundings);
    if (parsed.json) out(`${JSON.stringify(outcome.json)}\n`);
    else print(outcome.text);
    if (outcome.refused === undefined) return 0;
    err(`${outcome.refused}\n`);
    return 2;
  } catch (error) {
    const sentence = sentenceOf(error);
    err(`${sentence ?? lossOf(error) ?? (error as Error).stack}\n`);
    return sentence === null ? 1 : 2;
  }
}

/** Words of the longest name of a command. */
const MOST_WORDS = 3;

/** Finds the command the words start with, or the requested help. @throws UsageError if they name neither */
function findCommand(
  argv: readonly string[],
  commands: readonly Command[],
): { command: Command; words: string[] } | { help: string[] } {
  const wantsHelp = argv.some((word) => word === "--help" || word === "-h");
  const end = argv.findIndex((word) => word.startsWith("-"));
  const names = argv.slice(0, Math.min(MOST_WORDS, end < 0 ? argv.length : end));
  const command = [3, 2, 1]
    .map((count) => commands.find(({ name }) => name === names.slice(0, count).join(" ")))
    .find((found) => found !== undefined);
  if (command) return { command, words: argv.slice(command.name.split(" ").length) };
  const [group] = names;
  if (group === undefined || group === "help") {
    if (argv.length === 0 || wantsHelp || group === "help") return { help: groupHelp(commands) };
    throw new UsageError(`Put options after the command; see \`--help\`.`);
  }
  const inGroup = commands.filter(({ name }) => name.startsWith(`${group} `));
  if (inGroup.length === 0) throw new UsageError(`There is no command '${group}'; see \`--help\`.`);
  if (wantsHelp) return { help: groupHelp(inGroup, group) };
  const offered = inGroup.map(({ name }) => `\`${name}\``).join(", ");
  throw new UsageError(
    names.length > 1
      ? `There is no command '${names.slice(0, 2).join(" ")}', only ${offered}.`
      : `'${group}' is one of ${offered}.`,
  );
}

async function execute(
  command: Exclude<Command, { unopened: unknown }>,
  given: Parsed,
  config: Config,
  surroundings: Pick<Call, "stdin" | "terminal" | "note">,
): Promise<Outcome> {
  const { note } = surroundings;
  if (!isEmbedded(config) && !config.migrationUrl)
    throw new ConfigurationError("The command line works as the owner of the tables: set SERVICE_DATABASE_MIGRATION_URL.");
  if ("alone" in command) return command.alone({ ...given, config, note });
  const installation = await openInstallation(config, note);
  try {
    const client = new pg.Client({ connectionString: installation.ownerUrl as string, application_name: "kantoor cli" });
    await client.connect();
    try {
      const outcome = await inTransaction(client, command, callOf(given, config, installation, client, surroundings));
      await client.query(leftWork);
      return outcome;
    } finally {
      await client.end();
    }
  } finally {
    await installation.close();
  }
}

async function inTransaction(client: pg.Client, command: OpenedCommand, call: Call): Promise<Outcome> {
  if (command.ownTransactions) return command.run(call);
  await client.query("begin");
  try {
    const outcome = await command.run(call);
    await client.query("commit");
    return outcome;
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw error;
  }
}

function callOf(
  given: Parsed,
  config: Config,
  { databaseUrl, ownerUrl, migrated }: Installation,
  client: pg.Client,
  surroundings: Pick<Call, "stdin" | "terminal" | "note">,
): Call {
  const { note } = surroundings;
  return {
    ...given,
    ...surroundings,
    config,
    client,
    ownerUrl: ownerUrl as string,
    migrated,
    organisation: () => chooseOrganisation(client, given.text("org")),
    async withPool(work) {
      // A node in the same process has opened it, and still needs it.
      if (databaseIsOpen()) return work();
      // Record rules read the configuration to know which modules the licence lets the organisation write.
      prepareRuntime({ ...config, secret: mainSecret(config) });
      openDatabase({ ...config, databaseUrl }, (error) => note(`database connection lost: ${error.message}`));
      try {
        return await work();
      } finally {
        await closeDatabase();
      }
    },
  };
}
