import { parseArgs } from "node:util";
import { type Command, type Commands, type Flag, kebab, same } from "./commands.ts";
import { didYouMean, nearest, UsageError } from "./usage.ts";
import { jsonOf, parsedValue, type ReadStdin } from "./values.ts";

/** A flag of the program: it means the same for every operation. */
export interface OwnFlag {
  /** What its value is called in the help; absent for one without a value. */
  value?: string;
  many?: true;
  about: string;
}

/** Flags of the program. After the words of an operation, a flag of the operation with the same name counts more. */
export const OWN: Readonly<Record<string, OwnFlag>> = {
  url: { value: "address", about: "Address of the organisation; by default KANTOOR_URL, then the one of the last sign-in" },
  key: { value: "key", about: "A key (`kt_…`) for this call; by default KANTOOR_KEY, then the stored sign-in" },
  json: { about: "Write JSON: a value, or with --all a list" },
  all: { about: "All pages of a list" },
  columns: { value: "a,b", about: "Columns of a table" },
  body: { value: "json", about: "Whole body: JSON, @file or - for the standard input; flags of the body replace its members" },
  null: { value: "field", many: true, about: "Member of the body that is sent as null" },
  output: { value: "file", about: "Where a file is written; - is the standard output" },
  "if-match": { value: "tag", about: "Entity tag (`etag`) that the row still has to have" },
  "idempotency-key": { value: "key", about: "Key under which the write is done once; by default a new one" },
  help: { about: "Show help" },
};

/** Values of the program's flags. */
export type OwnValues = Partial<Record<string, string[]>>;

/** What a line says. */
export interface Line {
  own: OwnValues;
  path: string[];
  query: Record<string, unknown> | undefined;
  body: unknown;
}

/** A flag as it is typed: a body member with the name of a parameter has `body-` before it. */
export interface TypedFlag extends Flag {
  typed: string;
  in: "path" | "query" | "body";
}

/** The flags of an operation, in the order of the document. */
export function flagsOf({ flags }: Commands, command: Command): TypedFlag[] {
  const of = (places: readonly number[] = []) => places.map((place) => flags[place] as Flag);
  const taken = new Set([...of(command.path), ...of(command.query)].map(({ name }) => name));
  const typed = (where: TypedFlag["in"]) => (flag: Flag) => ({
    ...flag,
    in: where,
    typed: `${where === "body" && taken.has(flag.name) ? "body-" : ""}${kebab(flag.name)}`,
  });
  return [
    ...of(command.path).map(typed("path")),
    ...of(command.query).map(typed("query")),
    ...of(command.body).map(typed("body")),
  ];
}

/** Splits a line into the program's flags before its first word, and everything from that word on. @throws UsageError */
export function leading(args: readonly string[]): { own: OwnValues; rest: string[] } {
  const own: OwnValues = {};
  let at = 0;
  for (; at < args.length && (args[at] as string).startsWith("-"); at += 1) {
    const [raw = "", ...inline] = (args[at] as string).split("=");
    const name = raw === "-h" ? "help" : raw.replace(/^--/, "");
    const flag = OWN[name];
    if (!flag) throw new UsageError(`There is no flag ${raw} before a command${didYouMean(nearOf(name, Object.keys(OWN)))}`);
    if (flag.value !== undefined && inline.length === 0) at += 1;
    const value = flag.value === undefined ? "true" : inline.length > 0 ? inline.join("=") : args[at];
    if (value === undefined) throw new UsageError(`--${name} needs a value.`);
    own[name] = [...(own[name] ?? []), value];
  }
  return { own, rest: args.slice(at) };
}

const nearOf = (word: string, names: readonly string[]) => nearest(word, names).map((name) => `--${name}`);

/** Words before the first flag. */
export function wordsBefore(args: readonly string[]): { words: string[]; flags: string[] } {
  const end = args.findIndex((one) => one.startsWith("-"));
  return end === -1 ? { words: [...args], flags: [] } : { words: args.slice(0, end), flags: args.slice(end) };
}

interface Tokens {
  given: Map<TypedFlag, string[]>;
  own: OwnValues;
  positionals: string[];
}

/** Reads flags, of which each is known by its own name or in kebab case. @throws UsageError */
function tokensOf(flags: readonly TypedFlag[], args: readonly string[], before: OwnValues): Tokens {
  const byName = new Map(flags.flatMap((flag) => [flag.typed, flag.typed.replaceAll("-", "_")].map((name) => [name, flag])));
  const names = [...new Set([...flags.map(({ typed }) => typed), ...Object.keys(OWN)])];
  const takesValue = (name: string) => {
    const flag = byName.get(name);
    return flag ? flag.kind !== "boolean" : OWN[name]?.value !== undefined;
  };
  const types = [...byName.keys(), ...Object.keys(OWN)].map((name) => [
    name,
    { type: takesValue(name) ? ("string" as const) : ("boolean" as const) },
  ]);
  const { tokens } = parseArgs({
    args: [...args],
    options: { ...Object.fromEntries(types) },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const found: Tokens = { given: new Map(), own: { ...before }, positionals: [] };
  for (const token of tokens) {
    if (token.kind === "positional") found.positionals.push(token.value);
    if (token.kind !== "option") continue;
    const { name, rawName, value, inlineValue } = token;
    if (rawName === "-h") {
      found.own["help"] = ["true"];
      continue;
    }
    const positive = name.replace(/^no-/, "");
    const denied = !byName.has(name) && name !== positive && byName.get(positive)?.kind === "boolean";
    const flag = byName.get(denied ? positive : name);
    const own = OWN[name];
    if (!rawName.startsWith("--") || (!flag && !own))
      throw new UsageError(`There is no flag ${rawName}${didYouMean(nearOf(name, names))}`);
    if (takesValue(name) && (value === undefined || (inlineValue === false && value.startsWith("--"))))
      throw new UsageError(`${rawName} needs a value.`);
    if (denied && value !== undefined) throw new UsageError(`${rawName} has no value.`);
    const text = denied ? "false" : (value ?? "true");
    if (flag) found.given.set(flag, [...(found.given.get(flag) ?? []), text]);
    else found.own[name] = [...(found.own[name] ?? []), text];
  }
  return found;
}

async function valuesOf(flag: TypedFlag, given: readonly string[], stdin: ReadStdin): Promise<unknown> {
  if (!flag.many) {
    if (given.length > 1) throw new UsageError(`--${flag.typed} is given more than once.`);
    return parsedValue(flag, given[0] as string, stdin);
  }
  const texts = flag.many === "split" ? given.flatMap((one) => one.split(",").filter((part) => part !== "")) : given;
  return Promise.all(texts.map((one) => parsedValue(flag, one, stdin)));
}

/** The parameters of the path: the words after the operation in their order, or flags. */
function pathOf(flags: readonly TypedFlag[], { given, positionals }: Tokens): string[] {
  const left = [...positionals];
  const path = flags
    .filter((flag) => flag.in === "path")
    .map((flag) => {
      const value = given.get(flag)?.at(-1) ?? left.shift();
      if (value === undefined || value === "") throw new UsageError(`<${flag.typed}> is missing.`);
      return value;
    });
  if (left.length > 0) throw new UsageError(`${left[0]} is one word too many.`);
  return path;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The body: `--body`, then its members by their flags, then those that are null. */
async function bodyOf(command: Command, flags: readonly TypedFlag[], tokens: Tokens, stdin: ReadStdin): Promise<unknown> {
  const { given, own } = tokens;
  const members = flags.filter((flag) => flag.in === "body");
  const whole = own["body"]?.at(-1);
  const nulls = own["null"] ?? [];
  if (!command.sends) {
    if (whole !== undefined || nulls.length > 0) throw new UsageError("This operation has no body.");
    return undefined;
  }
  const read = whole === undefined ? undefined : await jsonOf("body", whole, stdin);
  const named = members.filter((flag) => given.has(flag));
  if (named.length === 0 && nulls.length === 0 && read !== undefined && !isObject(read)) return read;
  if (read !== undefined && !isObject(read)) throw new UsageError("--body is not an object, so that no member can be added.");
  const body: Record<string, unknown> = { ...read };
  for (const flag of named) body[flag.name] = await valuesOf(flag, given.get(flag) as string[], stdin);
  for (const name of nulls) {
    const flag = members.find((one) => same(one.name) === same(name));
    const nullable = members.filter((one) => one.nullable).map((one) => one.name);
    if (!flag) throw new UsageError(`--null ${name}: the body has no such member${didYouMean(nearest(name, nullable))}`);
    if (!flag.nullable) throw new UsageError(`--null ${name}: it cannot be null.`);
    body[flag.name] = null;
  }
  const missing = members.filter((flag) => flag.required && !Object.hasOwn(body, flag.name)).map(({ typed }) => `--${typed}`);
  if (missing.length > 0) throw new UsageError(`${missing.join(", ")} ${missing.length > 1 ? "are" : "is"} missing.`);
  return Object.keys(body).length > 0 || command.needsBody || read !== undefined ? body : undefined;
}

/**
 * Reads what follows the words of an operation.
 * @param before flags of the program from before the words
 * @throws UsageError with the nearest name for a flag that the operation does not have
 */
export async function readLine(
  commands: Commands,
  command: Command,
  args: readonly string[],
  before: OwnValues,
  stdin: ReadStdin,
): Promise<Line> {
  const flags = flagsOf(commands, command);
  const tokens = tokensOf(flags, args, before);
  if (tokens.own["help"]) return { own: tokens.own, path: [], query: undefined, body: undefined };
  const query: Record<string, unknown> = {};
  for (const flag of flags.filter((one) => one.in === "query")) {
    const given = tokens.given.get(flag);
    if (given) query[flag.name] = await valuesOf(flag, given, stdin);
    else if (flag.required) throw new UsageError(`--${flag.typed} is missing.`);
  }
  const path = pathOf(flags, tokens);
  const body = await bodyOf(command, flags, tokens, stdin);
  return { own: tokens.own, path, query: command.query ? query : undefined, body };
}
