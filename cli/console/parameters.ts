import { ConsoleError } from "./session.ts";

const WORD = /"((?:[^"\\]|\\.)*)"|'([^']*)'|\S+/g;

/** A typed value: a whole number and a flag are what they look like, anything else is text. */
const readWord = (text: string): unknown =>
  text === "true" ? true : text === "false" ? false : /^-?(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text;

/** Puts a value where a dotted name says: `query.status` into `{query: {status}}`. */
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
 * The parameters of a call as they are typed: one JSON object, or `--name value`, `--name=value` and `--flag`, with dots in names for what
 * lies deeper. What follows a name is its value also where it begins with a dash, as in `--sort -updated_at`.
 * @throws ConsoleError
 */
export function readParameters(text: string): Record<string, unknown> {
  if (text === "") return {};
  if (text.startsWith("--")) return readFlags(text);
  try {
    const params: unknown = JSON.parse(text);
    if (typeof params === "object" && params !== null && !Array.isArray(params)) return params as Record<string, unknown>;
  } catch {
    // the sentence below says it
  }
  throw new ConsoleError('Parameters are one JSON object, for instance {"limit": 2}, or flags, for instance --limit 2.');
}

function readFlags(text: string): Record<string, unknown> {
  const words = [...text.matchAll(WORD)].map(([whole, double, single]) => double?.replace(/\\(.)/g, "$1") ?? single ?? whole);
  const params: Record<string, unknown> = {};
  for (let at = 0; at < words.length; at++) {
    const [, name, given] = /^--([\w.]+)(?:=(.*))?$/s.exec(words[at] as string) ?? [];
    if (name === undefined) throw new ConsoleError(`'${words[at]}' is no flag: write --name value.`);
    const next = words[at + 1];
    const takesNext = given === undefined && next !== undefined && !next.startsWith("--");
    put(params, name.split("."), given !== undefined ? readWord(given) : takesNext ? readWord(next) : true);
    if (takesNext) at++;
  }
  return params;
}
