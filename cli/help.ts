import { type Command, columns } from "./command.ts";

const PROGRAM = "npm run cli --";
const EVERYWHERE = [
  ["  --json", "Write one JSON document to stdout, nothing else"],
  ["  --help", "Show this help"],
];
const STATUS = "Exit status: 0 done, 1 unexpected, 2 refused (one sentence on stderr).";

/** Usage line of one command. */
function usageOf({ name, arguments: positional = [], options = {} }: Command): string {
  const words = positional.map((argument) => `<${argument.name}>`);
  const switches = Object.entries(options).map(([option, { value, required }]) => {
    const word = value === undefined ? `--${option}` : `--${option} ${value}`;
    return required ? word : `[${word}]`;
  });
  return [PROGRAM, name, ...words, ...switches].join(" ");
}

/** Help of one command. */
export function commandHelp(command: Command): string[] {
  const { about, arguments: positional = [], options = {}, details = [] } = command;
  const described = [
    ...positional.map(({ name, about: what }) => [`  <${name}>`, `${what} (or --${name})`]),
    ...Object.entries(options).map(([name, { value, about: what, required, multiple }]) => [
      `  --${name}${value === undefined ? "" : ` ${value}`}`,
      `${what}${required ? " (required)" : ""}${multiple ? " (may be repeated)" : ""}`,
    ]),
    ...EVERYWHERE,
  ];
  return [
    about,
    "",
    `Usage: ${usageOf(command)}`,
    "",
    ...columns(described),
    ...(details.length > 0 ? ["", ...details] : []),
    "",
    STATUS,
  ];
}

/** Help of all commands, or of one group such as `user`. */
export function groupHelp(commands: readonly Command[], group?: string): string[] {
  const listed = commands.map(({ name, arguments: positional = [], about }) => [
    `  ${[name, ...positional.map((argument) => `<${argument.name}>`)].join(" ")}`,
    about,
  ]);
  return [
    `Usage: ${PROGRAM} ${group ? `${group} ` : ""}<command> [options]`,
    "",
    ...columns(listed),
    "",
    `Each command explains itself with --help and answers JSON with --json. ${STATUS}`,
  ];
}
