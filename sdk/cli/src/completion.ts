import { type Commands, find, kebab } from "./commands.ts";
import { flagsOf, OWN, type TypedFlag } from "./flags.ts";

/** A word that can come next, with its meaning. */
export type Candidate = readonly [word: string, about: string];

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];
const COMMANDS: readonly Candidate[] = [
  ["login", "Sign in with the browser"],
  ["logout", "End the stored sign-in"],
  ["request", "Call any path"],
  ["completion", "Write the completion for a shell"],
  ["help", "Show help"],
];

const firstSentence = (text = "") => (text.split(/(?<=\.)\s|\n/)[0] ?? "").slice(0, 90);

function afterFlag(flag: TypedFlag | undefined, own: string | undefined): Candidate[] | undefined {
  if (flag?.values) return flag.values.map((value) => [value, ""]);
  if (flag) return flag.kind === "boolean" ? undefined : [];
  return own !== undefined && OWN[own]?.value !== undefined ? [] : undefined;
}

/** Flags of an operation that are not in the line yet; those that can be repeated stay. */
function flagCandidates(flags: readonly TypedFlag[], line: readonly string[]): Candidate[] {
  const isFree = (name: string) => !line.some((word) => word === `--${name}` || word.startsWith(`--${name}=`));
  const names = new Set(flags.map(({ typed }) => typed));
  const of: Candidate[] = flags
    .filter(({ typed, many }) => many || isFree(typed))
    .map(({ typed, about }) => [`--${typed}`, firstSentence(about)]);
  const own: Candidate[] = Object.entries(OWN)
    .filter(([name, { many }]) => !names.has(name) && (many || isFree(name)))
    .map(([name, { about }]) => [`--${name}`, firstSentence(about)]);
  return [...of, ...own];
}

/** What can follow the words of the line before the last one; empty where files or free text belong. */
function candidates(commands: Commands, before: readonly string[], last: string): Candidate[] {
  const names = Object.keys(commands.commands);
  const firstFlag = before.findIndex((word) => word.startsWith("-"));
  const words = firstFlag === -1 ? before : before.slice(0, firstFlag);
  const [first] = words;
  if (first === "completion") return words.length === 1 ? SHELLS.map((shell) => [shell, ""]) : [];
  if (first !== undefined && COMMANDS.some(([word]) => word === first))
    return last.startsWith("-") ? flagCandidates([], before) : [];
  const found = find(names, words);
  const operation = found.kind === "operation" ? commands.commands[found.name] : undefined;
  const flags = operation ? flagsOf(commands, operation) : [];
  const previous = before.at(-1) ?? "";
  if (previous.startsWith("--")) {
    const name = previous.slice(2);
    const flag = flags.find(({ typed }) => typed === name.replaceAll("_", "-"));
    const values =
      name === "null" ? flags.filter(({ nullable }) => nullable).map(({ name: one }): Candidate => [one, ""]) : undefined;
    const after = values ?? afterFlag(flag, flag ? undefined : name);
    if (after) return after;
  }
  if (last.startsWith("-")) return flagCandidates(flags, before);
  if (found.kind === "group") {
    const depth = words.length;
    const next = new Map<string, string>();
    for (const name of found.names) {
      const parts = name.split(".");
      const word = kebab(parts[depth] as string);
      const isLeaf = parts.length === depth + 1;
      next.set(
        word,
        isLeaf ? (commands.commands[name]?.summary ?? "") : depth === 0 ? (commands.areas[parts[0] as string] ?? "") : "",
      );
    }
    const groups: Candidate[] = [...next];
    return depth === 0 ? [...COMMANDS, ...groups] : groups;
  }
  return found.kind === "operation" && last === "" && found.rest.length >= (operation?.path?.length ?? 0)
    ? flagCandidates(flags, before)
    : [];
}

/**
 * The words that can stand in for the last of a line.
 * @param line the words after `kantoor`, of which the last is being typed and can be empty
 */
export function complete(commands: Commands, line: readonly string[]): Candidate[] {
  const last = line.at(-1) ?? "";
  const inline = /^(--[^=]+)=(.*)$/.exec(last);
  const before = line.slice(0, -1);
  if (inline)
    return candidates(commands, [...before, inline[1] as string], inline[2] as string)
      .filter(([word]) => word.startsWith(inline[2] as string))
      .map(([word, about]) => [`${inline[1]}=${word}`, about]);
  return candidates(commands, before, last).filter(([word]) => word.startsWith(last));
}

const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `_kantoor() {
  local current="\${COMP_WORDS[COMP_CWORD]}" IFS=$'\\n'
  COMPREPLY=($(kantoor __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
  if [ \${#COMPREPLY[@]} -eq 0 ]; then COMPREPLY=($(compgen -f -- "$current")); fi
}
complete -o filenames -F _kantoor kantoor
`,
  zsh: `#compdef kantoor
_kantoor() {
  local -a found
  local word about
  while IFS=$'\\t' read -r word about; do
    found+=("\${word//:/\\\\:}:$about")
  done < <(kantoor __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then _describe kantoor found; else _files; fi
}
if [ "\${funcstack[1]}" = _kantoor ]; then _kantoor "$@"; else compdef _kantoor kantoor; fi
`,
  fish: `function __kantoor_complete
  set -l line (commandline -opc) (commandline -ct)
  kantoor __complete $line[2..-1] 2>/dev/null
end
complete -c kantoor -a '(__kantoor_complete)'
`,
};

/** The completion of a shell, or undefined for a shell that has none here. */
export const completionOf = (shell: string): string | undefined => SCRIPTS[shell as Shell];
export const shells: readonly string[] = SHELLS;
