import { globSync, readFileSync } from "node:fs";
import path from "node:path";

const ROOT = path.join(import.meta.dirname, "../..");
const CALL = /\.(info|warn|error)\(/g;

/** A call that writes a log line, as its source shows it. */
export interface LogCall {
  /** The file and line of the call. */
  at: string;
  level: string;
  /** Its stable name; null if the details are not a literal with `event`. */
  event: string | null;
  /** The other fields of the line, sorted. */
  fields: string[];
  /** The source of the sentence. */
  sentence: string;
}

/** The end of a string or template that begins at a position. */
function endOfText(source: string, from: number): number {
  let at = from + 1;
  while (at < source.length && source[at] !== source[from]) {
    if (source[at] === "\\") at += 1;
    else if (source[from] === "`" && source.startsWith("${", at)) at = endOfGroup(source, at + 1);
    at += 1;
  }
  return at;
}

/** The position of the bracket that closes the one at a position. */
function endOfGroup(source: string, from: number): number {
  let depth = 0;
  for (let at = from; at < source.length; at++) {
    const character = source[at] as string;
    if (/["'`]/.test(character)) at = endOfText(source, at);
    else if (/[({[]/.test(character)) depth += 1;
    else if (/[)}\]]/.test(character) && --depth === 0) return at;
  }
  return source.length;
}

/** The items of a bracketed list at a position: arguments of a call, or properties of an object. */
function itemsAt(source: string, from: number): string[] {
  const items: string[] = [];
  const end = endOfGroup(source, from);
  let start = from + 1;
  for (let at = start; at <= end; at++) {
    const character = source[at] as string;
    if (at === end || character === ",") {
      items.push(source.slice(start, at).trim());
      start = at + 1;
    } else if (/["'`]/.test(character)) at = endOfText(source, at);
    else if (/[({[]/.test(character)) at = endOfGroup(source, at);
  }
  return items.filter((item) => item !== "");
}

/** The properties of a literal, or of the constant that a name means in its file. */
function propertiesOf(source: string, argument: string): string[] {
  if (argument.startsWith("{"))
    return itemsAt(argument, 0).flatMap((item) => (item.startsWith("...") ? propertiesOf(source, item.slice(3)) : [item]));
  const declared = source.indexOf(`const ${argument} = {`);
  return declared === -1 ? [] : propertiesOf(source, source.slice(source.indexOf("{", declared)));
}

/** The calls in a source file that write log lines at `info`, `warn` or `error`. */
export function logCallsIn(source: string, file: string): LogCall[] {
  return [...source.matchAll(CALL)].map((call) => {
    const [details = "", sentence = ""] = itemsAt(source, call.index + call[0].length - 1);
    const properties = propertiesOf(source, details);
    return {
      at: `${file}:${source.slice(0, call.index).split("\n").length}`,
      level: call[1] as string,
      event: properties.map((item) => /^event: "([^"]*)"$/.exec(item)?.[1]).find((name) => name !== undefined) ?? null,
      fields: properties
        .map((item) => /^\w+/.exec(item)?.[0] ?? item)
        .filter((name) => name !== "event")
        .toSorted(),
      sentence,
    };
  });
}

/** All calls of the product that write log lines at `info`, `warn` or `error`. */
export const logCalls = (): LogCall[] =>
  globSync(["main.ts", "{core,mixins,services,integrations,operator,cli}/**/*.ts"], { cwd: ROOT }).flatMap((file) =>
    logCallsIn(readFileSync(path.join(ROOT, file), "utf8"), file),
  );
