import { type Command, type Commands, find, wordsOf } from "./commands.ts";
import { complete, completionOf, shells } from "./completion.ts";
import { Credentials, credentialsFile } from "./credentials.ts";
import { type Line, leading, type OwnValues, readLine, wordsBefore } from "./flags.ts";
import { groupHelp, operationHelp, programHelp } from "./help.ts";
import { accessToken } from "./oauth.ts";
import { type FileAnswer, type Streams, type Style, write, writeFile, writePages, writeValue } from "./output.ts";
import { addressOf, login, logout } from "./session.ts";
import { didYouMean, nearest, StateError, UsageError } from "./usage.ts";

/** How a client reaches the service. */
export interface ClientOptions {
  baseUrl: string;
  apiKey?: string;
  accessToken?: () => Promise<string>;
}

/** What the program has from outside; a test has its own. */
export interface World extends Streams {
  commands: Commands;
  /** A client of the API, whose methods are found by the names of operations. */
  client(options: ClientOptions): object;
  environment: Readonly<Record<string, string | undefined>>;
  stdin: () => Promise<string>;
  /** Opens a page in the browser. */
  browse(url: string): void;
}

const last = (own: OwnValues, name: string) => own[name]?.at(-1);

const styleOf = (own: OwnValues): Style => ({
  json: own["json"] !== undefined,
  columns: last(own, "columns")
    ?.split(",")
    .map((name) => name.trim()),
});

/** The client of a line: its key, that of the environment, or the stored sign-in. @throws StateError without any */
function clientOf(world: World, own: OwnValues): object {
  const credentials = new Credentials(credentialsFile(world.environment));
  const baseUrl = addressOf(last(own, "url"), world.environment, credentials);
  const stored = credentials.read().addresses[baseUrl];
  const apiKey = last(own, "key") ?? (world.environment["KANTOOR_KEY"] || stored?.key);
  if (apiKey !== undefined) return world.client({ baseUrl, apiKey });
  if (!stored?.accessToken) throw new StateError(`There is no sign-in for ${baseUrl}: run kantoor login, or set KANTOOR_KEY.`);
  return world.client({ baseUrl, accessToken: () => accessToken(baseUrl, credentials) });
}

type Method = (...given: unknown[]) => unknown;

function methodOf(client: object, name: string): Method {
  const parts = name.split(".");
  const method = parts.reduce<unknown>((one, part) => (one as Record<string, unknown> | undefined)?.[part], client);
  if (typeof method !== "function") throw new TypeError(`The client has no method ${name}.`);
  return method as Method;
}

function optionsOf(own: OwnValues, command: Command): Record<string, string> {
  const options: Record<string, string> = {};
  const [match, key] = [last(own, "if-match"), last(own, "idempotency-key")];
  if (match !== undefined && !command.match) throw new UsageError("This operation does not take --if-match.");
  if (key !== undefined && !command.key) throw new UsageError("This operation does not take --idempotency-key.");
  if (match !== undefined) options["ifMatch"] = match;
  if (key !== undefined) options["idempotencyKey"] = key;
  return options;
}

async function callOperation(world: World, name: string, command: Command, line: Line): Promise<void> {
  const { own, path, body, query } = line;
  const { answers } = command;
  const isList = answers === "page" || answers === "list";
  if (own["all"] && !isList) throw new UsageError("--all is for lists.");
  if (own["output"] && answers !== "file") throw new UsageError("--output is for files.");
  const given = [...path, ...(command.sends ? [body] : []), ...(command.query ? [query] : []), optionsOf(own, command)];
  const call = methodOf(clientOf(world, own), name)(...given);
  const style = styleOf(own);
  if (answers === "file") return writeFile((await call) as FileAnswer, last(own, "output"), world);
  if (own["all"]) return writePages((call as { pages(): AsyncIterable<unknown> }).pages(), style, world);
  if (answers === "events") {
    for await (const { event, data } of call as AsyncIterable<{ event: string; data: unknown }>)
      await write(world.out, `${JSON.stringify({ event, data })}\n`);
    return;
  }
  return writeValue(await call, style, world);
}

/** `request <method> <path>` */
async function callPath(world: World, args: readonly string[], before: OwnValues): Promise<void> {
  const anyBody: Command = { summary: "", sends: "json" };
  const { words, flags } = wordsBefore(args);
  const [method, path, ...more] = words;
  const { own, body } = await readLine(world.commands, anyBody, flags, before, world.stdin);
  if (own["help"]) return write(world.out, programHelp(world.commands));
  if (!method || !path?.startsWith("/") || more.length > 0)
    throw new UsageError("It is kantoor request <method> <path>, such as kantoor request GET /companies?limit=1.");
  const key = last(own, "idempotency-key");
  const options = {
    ...(body !== undefined && { body }),
    ...(key !== undefined && { idempotencyKey: key }),
    ...(last(own, "if-match") !== undefined && { ifMatch: last(own, "if-match") }),
  };
  const client = clientOf(world, own) as { request: Method };
  return writeValue(await client.request(method.toUpperCase(), path, options), styleOf(own), world);
}

async function completionScript({ out }: World, [shell = "", ...more]: readonly string[]): Promise<void> {
  const script = completionOf(shell);
  if (script === undefined || more.length > 0) throw new UsageError(`It is kantoor completion ${shells.join("|")}.`);
  return write(out, script);
}

async function runOperation(world: World, args: readonly string[], before: OwnValues): Promise<void> {
  const { commands, out } = world;
  const names = Object.keys(commands.commands);
  const { words, flags } = wordsBefore(args);
  const found = find(names, words);
  if (found.kind === "several")
    throw new UsageError(`Several commands fit: ${found.names.map((name) => `kantoor ${wordsOf(name)}`).join(", ")}.`);
  if (found.kind === "unknown") {
    const near = nearest(found.word, found.near);
    const where = words.slice(0, words.indexOf(found.word)).join(" ");
    const hint = near.length > 0 ? didYouMean(near) : `; see kantoor ${[...(where ? [where] : []), "--help"].join(" ")}.`;
    throw new UsageError(`There is no command ${[...(where ? [where] : []), found.word].join(" ")}${hint}`);
  }
  if (found.kind === "group") {
    const { own } = { own: { ...before, ...leading(flags).own } };
    if (own["help"]) return write(out, groupHelp(commands, found.names, found.prefix));
    throw new UsageError(`kantoor ${found.prefix} is a group of commands; see kantoor ${found.prefix} --help.`);
  }
  const command = commands.commands[found.name] as Command;
  const line = await readLine(commands, command, [...found.rest, ...flags], before, world.stdin);
  if (line.own["help"]) return write(out, operationHelp(commands, found.name));
  return callOperation(world, found.name, command, line);
}

async function dispatch(world: World, args: readonly string[]): Promise<void> {
  const { own, rest } = leading(args);
  const [first, ...more] = rest;
  if (first === undefined || first === "help") {
    if (own["help"] || first === "help") return write(world.out, programHelp(world.commands));
    throw new UsageError("A command is missing; see kantoor --help.");
  }
  if (first === "login") return login(world, more, own);
  if (first === "logout") return logout(world, more, own);
  if (first === "completion") return completionScript(world, more);
  if (first === "request") return callPath(world, more, own);
  return runOperation(world, rest, own);
}

/** What the service refused, as the client throws it. */
interface Refused {
  status: number;
  code: string;
  message: string;
  fields: Readonly<Record<string, string>>;
  details: Readonly<Record<string, unknown>>;
  requestId: string | undefined;
}

const isRefused = (error: unknown): error is Refused =>
  error instanceof Error && "status" in error && "code" in error && "fields" in error;

async function report(error: unknown, asJson: boolean, err: World["err"]): Promise<number> {
  if (isRefused(error)) {
    const { status, code, message, fields, details, requestId } = error;
    if (asJson) {
      const refusal = { status, code, message, fields, details, request_id: requestId };
      await write(err, `${JSON.stringify({ error: refusal })}\n`);
      return 1;
    }
    const facts = [...Object.entries(fields), ...Object.entries(details)].map(([name, value]) => `  ${name}  ${value}\n`);
    await write(err, `kantoor: ${status} ${code}: ${message}\n${facts.join("")}${requestId ? `  request ${requestId}\n` : ""}`);
    return 1;
  }
  const { message, cause } = error as Error;
  const why = cause instanceof Error ? ` (${cause.message})` : "";
  await write(err, `kantoor: ${message}${why}\n`);
  return error instanceof UsageError ? 2 : 1;
}

/**
 * Runs one line of the command line.
 * @returns the exit code: 0 when done, 1 when refused or not reached, 2 when the line was not understood
 */
export async function run(world: World, args: readonly string[]): Promise<number> {
  if (args[0] === "__complete") {
    for (const [word, about] of complete(world.commands, args.slice(1))) await write(world.out, `${word}\t${about}\n`);
    return 0;
  }
  try {
    await dispatch(world, args);
    return 0;
  } catch (error) {
    return report(error, args.includes("--json"), world.err);
  }
}
