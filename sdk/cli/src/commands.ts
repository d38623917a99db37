/** What the text of a flag becomes. `file` is the path of a file, `json` a JSON text or `@file`. */
export type FlagKind = "text" | "integer" | "number" | "boolean" | "json" | "file";

/** A parameter or a member of a body, as the document describes it. */
export interface Flag {
  /** Its name in the API, such as `company_id`. */
  name: string;
  /** `text` by default. */
  kind?: FlagKind;
  values?: readonly string[];
  /** A list: given several times, or with commas too (`split`). */
  many?: "split" | "repeated";
  nullable?: true;
  required?: true;
  about?: string;
}

/** An operation; its flags are indexes of `Commands.flags`. */
export interface Command {
  summary: string;
  about?: string;
  path?: readonly number[];
  query?: readonly number[];
  sends?: "json" | "multipart" | "form";
  /** Absent where the body is something other than one object. */
  body?: readonly number[];
  needsBody?: true;
  /** A value of JSON by default. */
  answers?: "page" | "list" | "none" | "file" | "events";
  /** Whether it takes an `Idempotency-Key`. */
  key?: true;
  /** Whether it takes `If-Match`. */
  match?: true;
}

/** All operations, made from the document of the API by `npm run sdk`. */
export interface Commands {
  version: string;
  /** Meaning of the first words. */
  areas: Readonly<Record<string, string>>;
  flags: readonly Flag[];
  commands: Readonly<Record<string, Command>>;
}

/** `companyId`, `company_id` and `company-id` are the same word. */
export const same = (word: string): string => word.replace(/[-_.]/g, "").toLowerCase();
/** `company_id` and `companyId` become `company-id`. */
export const kebab = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replace(/[_.]/g, "-")
    .toLowerCase();
/** `companies.groups.list` becomes `companies groups list`. */
export const wordsOf = (name: string): string => name.split(".").map(kebab).join(" ");

/** What the first words of a line name: an operation and the words that follow it, a group of operations, or neither. */
export type Found =
  | { kind: "operation"; name: string; rest: string[] }
  | { kind: "group"; names: string[]; prefix: string }
  | { kind: "several"; names: string[] }
  | { kind: "unknown"; word: string; near: string[] };

const isWithin = (parts: readonly string[], words: readonly string[]): boolean => {
  let next = 0;
  for (const part of parts) if (words[next] !== undefined && same(part) === same(words[next] as string)) next += 1;
  return next === words.length && same(parts.at(-1) as string) === same(words.at(-1) as string);
};

/**
 * Finds the operation that a line begins with. Words between the first and the last can be left out where one operation fits: `time start`
 * is `time timer start`.
 * @param words the words of the line without its flags
 */
export function find(names: readonly string[], words: readonly string[]): Found {
  let under = names.map((name) => ({ name, parts: name.split(".") }));
  const prefix: string[] = [];
  for (const [index, word] of words.entries()) {
    const next = under.filter(({ parts }) => parts[index] !== undefined && same(parts[index]) === same(word));
    if (next.length === 0) {
      // A value, such as an id, can follow the words: the longest beginning that fits one operation counts.
      for (let end = words.length; index > 0 && end > index; end -= 1) {
        const fitting = under.filter(({ parts }) => isWithin(parts.slice(index), words.slice(index, end)));
        const [only] = fitting;
        if (fitting.length === 1 && only) return { kind: "operation", name: only.name, rest: words.slice(end) };
        if (fitting.length > 1) return { kind: "several", names: fitting.map(({ name }) => name) };
      }
      return { kind: "unknown", word, near: [...new Set(under.map(({ parts }) => kebab(parts[index] ?? "")))] };
    }
    under = next;
    prefix.push(kebab(under[0]?.parts[index] as string));
    const [only] = under;
    if (only && under.length === 1 && only.parts.length === index + 1)
      return { kind: "operation", name: only.name, rest: words.slice(index + 1) };
  }
  return { kind: "group", names: under.map(({ name }) => name), prefix: prefix.join(" ") };
}
