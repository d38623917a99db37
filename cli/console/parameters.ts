import { ConsoleError } from "./session.ts";

const WORD = /"((?:[^"\\]|\\.)*)"|'([^']*)'|\S+/g;

/** Parses a typed value: whole numbers and booleans are recognised, anything else is text. */
const readWord = (text: string): unknown =>
  text === "true" ? true : text === "false" ? false : /^-?(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text;

/** Sets a value at a dotted path: `query.status` in `{query: {status}}`. */
function put(into: Record<string, unknown>, [name = "", ...rest]: string[], value: unknown): void {
  if (rest.length === 0) {
    into[name] = value;
    return;
  }
  const inner = Object.hasOwn(into, name) ? into[name] : undefined;
  const next = typeof inner === "object" && inner !== null ? (inner as Record<string, unknown>) : {};
  into[name] = next;
  put(next, rest, value);
}

/**
 * Parses typed parameters: one JSON object, or `--name value`, `--name=value` and `--flag`, with dots in names for nested values. The word
 * after a name is its value even if it starts with one dash, as in `--sort -updated_at`.
 * @throws ConsoleError
 */
export function readParameters(text: string): Record<string, unknown> {
  if (text === "") return {};
  if (text.startsWith("--")) return readFlags(text);
  try {
    const params: unknown = JSON.parse(text);
    if (typeof params === "object" && params !== null && !Array.isArray(params)) return params as Record<string, unknown>;
  } catch {
    // the error below covers it
  }
  throw new ConsoleError('Parameters are one JSON object, for instance {"limit": 2}, or flags, for instance --limit 2.');
}

/** @throws ConsoleError for a word that belongs to no flag */
export function readFlags(text: string): Record<string, unknown> {
  const words = [...text.matchAll(WORD)].map(([whole, double, single]) => double?.replace(/\\(.)/g, "$1") ?? single ?? whole);
  const params: Record<string, unknown> = {};
  for (let at = 0; at < words.length; at++) {
    const [, name, given] = /^--([\w.]+)(?:=(.*))?$/s.exec(words[at] as string) ?? [];
    if (name === undefined) throw new ConsoleError(`'${words[at]}' is not a flag: write --name value.`);
    const next = words[at + 1];
    const takesNext = given === undefined && next !== undefined && !next.startsWith("--");
    put(params, name.split("."), given !== undefined ? readWord(given) : takesNext ? readWord(next) : true);
    if (takesNext) at++;
  }
  return params;
}
