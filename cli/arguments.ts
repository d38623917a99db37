import { parseArgs } from "node:util";
import { type Command, type CommandInput, UsageError } from "./command.ts";

/** Parsed words after the command's name. */
export interface Parsed extends CommandInput {
  help: boolean;
  json: boolean;
}

/**
 * Parses the words after a command's name by its entry in the table.
 * @throws UsageError for an unknown option, a missing value, or too many or too few arguments
 */
export function readArguments(command: Command, words: readonly string[]): Parsed {
  const positional = command.arguments ?? [];
  const declared = Object.entries(command.options ?? {});
  const types = Object.fromEntries([
    ...positional.map(({ name }) => [name, { type: "string" as const, multiple: true }]),
    ...declared.map(([name, { value }]) => [
      name,
      { type: value === undefined ? ("boolean" as const) : ("string" as const), multiple: true },
    ]),
    ["help", { type: "boolean" as const, short: "h", multiple: true }],
    ["json", { type: "boolean" as const, multiple: true }],
  ]);
  const { values, positionals } = parsed(command, words, types);
  const given = new Map<string, (string | boolean)[]>(Object.entries(values).map(([name, value]) => [name, value ?? []]));
  const help = given.has("help");
  let rest = positionals;
  for (const { name } of positional) {
    const [first, ...others] = rest;
    if (given.has(name) || first === undefined) continue;
    given.set(name, [first]);
    rest = others;
  }
  if (!help) {
    if (rest.length > 0) throw new UsageError(`'${command.name}' does not accept '${rest[0]}'; ${seeHelp(command)}.`);
    for (const { name } of positional)
      if (!given.has(name)) throw new UsageError(`'${command.name}' needs <${name}>; ${seeHelp(command)}.`);
    for (const [name, { required, multiple }] of declared) {
      if (required && !given.has(name)) throw new UsageError(`'${command.name}' needs --${name}; ${seeHelp(command)}.`);
      if (!multiple && (given.get(name)?.length ?? 0) > 1) throw new UsageError(`--${name} is given more than once.`);
    }
  }
  const all = (name: string): string[] => (given.get(name) ?? []) as string[];
  return {
    help,
    json: given.has("json"),
    all,
    text: (name) => all(name)[0],
    need: (name) => all(name)[0] as string,
    flag: (name) => given.has(name),
    list: (name) => all(name).flatMap((value) => value.split(",").flatMap((part) => part.trim() || [])),
  };
}

type Types = NonNullable<Parameters<typeof parseArgs>[0]>["options"];

function parsed(command: Command, words: readonly string[], options: Types) {
  try {
    const { values, positionals } = parseArgs({ args: [...words], options: options ?? {}, allowPositionals: true });
    return { values: values as Record<string, (string | boolean)[] | undefined>, positionals };
  } catch (error) {
    const [sentence] = (error as Error).message.split(/\.\s|\n/);
    throw new UsageError(`${sentence}; ${seeHelp(command)}.`);
  }
}

const seeHelp = ({ name }: Command): string => `see \`${name} --help\``;
