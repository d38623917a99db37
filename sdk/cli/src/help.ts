import { type Commands, kebab, wordsOf } from "./commands.ts";
import { flagsOf, OWN, type TypedFlag } from "./flags.ts";

const WIDTH = 100;

/** Text in lines of at most the width, each after an indent. Markdown of the document stays as it is. */
export function wrapped(text: string, indent: string, width = WIDTH): string {
  const lines = text.split("\n").flatMap((paragraph) => {
    const out = [""];
    for (const word of paragraph.split(" ")) {
      const line = out.at(-1) as string;
      if (line !== "" && indent.length + line.length + 1 + word.length > width) out.push(word);
      else out[out.length - 1] = line === "" ? word : `${line} ${word}`;
    }
    return out;
  });
  return lines.map((line) => `${indent}${line}`.trimEnd()).join("\n");
}

/** Two columns; the second begins where the longest of the first ends. */
function pairs(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  return rows.map(([name, about]) => `  ${name.padEnd(width)}  ${about}`.trimEnd()).join("\n");
}

const ownFlags = () =>
  pairs(Object.entries(OWN).map(([name, { value, about }]) => [`--${name}${value ? ` <${value}>` : ""}`, about] as const));

/** The help of the program. */
export function programHelp({ areas, version }: Commands): string {
  return `kantoor ${version}: the API of Kantoor on the command line

  kantoor <area> <command> [values] [flags]     for example: kantoor companies list --q sails

Commands
${pairs([
  ["login [--url <address>]", "Sign in with the browser; the token is stored and renewed"],
  ["logout", "End the stored sign-in"],
  ["request <method> <path>", "Call any path, such as one of a module of your own"],
  ["completion bash|zsh|fish", "Write the completion for a shell"],
])}

Areas (kantoor <area> --help)
${pairs(Object.entries(areas).map(([area, meaning]) => [kebab(area), meaning] as const))}

Flags
${ownFlags()}

Exit code 0: done; 1: refused or not reached; 2: the line was not understood.
`;
}

/** The help of a group of operations. */
export function groupHelp({ commands, areas }: Commands, names: readonly string[], prefix: string): string {
  const [area = ""] = (names[0] ?? "").split(".");
  const rows = names.map((name) => [wordsOf(name), commands[name]?.summary ?? ""] as const);
  const title = prefix.includes(" ") ? "" : `: ${areas[area] ?? ""}`;
  return `kantoor ${prefix}${title}\n\n${pairs(rows)}\n\nkantoor <command> --help shows its flags.\n`;
}

function kindText({ kind = "text", many }: TypedFlag): string {
  if (kind === "boolean") return "";
  const word = kind === "json" ? "json|@file" : kind === "file" ? "path" : kind;
  return ` <${word}${many ? " …" : ""}>`;
}

function flagHelp(flag: TypedFlag): string {
  const marks = [flag.required && "required", flag.nullable && "can be null", flag.many === "split" && "several with commas"];
  const notes = marks.filter((one) => typeof one === "string").join(", ");
  const head = `  --${flag.typed}${kindText(flag)}${notes ? `  (${notes})` : ""}`;
  const values = flag.values ? `One of ${flag.values.join(", ")}.` : "";
  const about = [flag.about ?? "", values].filter((text) => text !== "").join("\n");
  return about === "" ? head : `${head}\n${wrapped(about, "      ")}`;
}

/** The help of an operation, from the document. */
export function operationHelp(all: Commands, name: string): string {
  const command = all.commands[name];
  if (!command) throw new TypeError(`no operation ${name}`);
  const flags = flagsOf(all, command);
  const path = flags.filter((flag) => flag.in === "path");
  const section = (title: string, where: TypedFlag["in"]) => {
    const some = flags.filter((flag) => flag.in === where);
    return some.length === 0 ? [] : [`${title}\n${some.map(flagHelp).join("\n")}`];
  };
  const usage = `kantoor ${[wordsOf(name), ...path.map(({ typed }) => `<${typed}>`)].join(" ")}`;
  return `${[
    `${usage}\n\n${wrapped(command.summary, "  ")}`,
    ...(command.about ? [wrapped(command.about, "  ")] : []),
    ...section("Values", "path"),
    ...section("Query", "query"),
    ...section(command.sends === "json" ? "Body" : "Form", "body"),
    `Every command\n${ownFlags()}`,
  ].join("\n\n")}\n`;
}
