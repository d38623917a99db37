import { quoted } from "./rule.ts";

/** A token of an expression: a string with its decoded value, or any other text. */
type Token = { text: string; string?: string };

/** Strings, dotted names, multi-character operators, and single characters; anything else is unreadable. */
const TOKEN = /\s+|"(?:[^"\\]|\\[\s\S])*"|[A-Za-z_][\w.]*|==|!=|<=|>=|&&|\|\||\d+|[(){}[\],<>~!*$.]/gy;
/** Longer expressions count as unreadable: the provider's own limit is 4,096 characters. */
const LONGEST = 8192;

const meaningOf = (literal: string): string => literal.slice(1, -1).replaceAll(/\\([\s\S])/g, "$1");

/** The tokens of an expression, without white space; null if it cannot be parsed. */
function tokensOf(expression: string): Token[] | null {
  if (expression.length > LONGEST) return null;
  const tokens: Token[] = [];
  let end = 0;
  for (const { 0: text, index } of expression.matchAll(TOKEN)) {
    if (index !== end) return null;
    end += text.length;
    if (/^\s/.test(text)) continue;
    tokens.push(text.startsWith('"') ? { text, string: meaningOf(text) } : { text });
  }
  return end === expression.length && tokens.length > 0 ? tokens : null;
}

/** Replaces `lower(http.host)` with `http.host`, because hosts arrive in lower case. */
function folded(tokens: readonly Token[]): Token[] {
  const made: Token[] = [];
  for (const token of tokens) {
    made.push(token);
    const last = made.slice(-4).map(({ text }) => text);
    if (last.join(" ") === "lower ( http.host )") made.splice(-4, 4, { text: "http.host" });
  }
  return made;
}

/** Whether the first parenthesis closes at the last token and not before. */
function isEnclosed(tokens: readonly Token[]): boolean {
  let depth = 0;
  return (
    tokens[0]?.text === "(" &&
    tokens.every(({ text, string }, index) => {
      if (string === undefined && text === "(") depth += 1;
      if (string === undefined && text === ")") depth -= 1;
      return depth > 0 || index === tokens.length - 1;
    }) &&
    depth === 0
  );
}

function unwrapped(tokens: Token[]): Token[] {
  let inner = tokens;
  while (isEnclosed(inner)) inner = inner.slice(1, -1);
  return inner;
}

const spelt = (tokens: readonly Token[]): string =>
  tokens.map(({ text, string }) => (string === undefined ? text : quoted(string))).join(" ");

/**
 * Normalises an expression: without white space differences, `lower(http.host)` and outer parentheses (assets §8.3). Expressions that
 * differ only in these get the same text; null if invalid.
 */
export function normalised(expression: unknown): string | null {
  const tokens = typeof expression === "string" ? tokensOf(expression) : null;
  return tokens && spelt(unwrapped(folded(tokens)));
}

/** The hosts an expression matches. `includeSubdomains` is null unless it is one of the two forms of assets §8.1. */
export interface Reach {
  includeSubdomains: boolean | null;
  /** Whether it covers the whole domain: one of the two forms, or a set of hosts that contains the domain. */
  isDomainWide: boolean;
}

/** The reach of an expression in a domain. @param apex the domain's name in ASCII */
export function reachOf(expression: unknown, apex: string): Reach {
  const text = normalised(expression);
  const exactly = `http.host eq ${quoted(apex)}`;
  if (text === null) return { includeSubdomains: null, isDomainWide: false };
  if (text === exactly) return { includeSubdomains: false, isDomainWide: true };
  if (text === `${exactly} or ends_with ( http.host , ${quoted(`.${apex}`)} )`)
    return { includeSubdomains: true, isDomainWide: true };
  return { includeSubdomains: null, isDomainWide: hostsOf(text).includes(apex) };
}

/** The hosts of `http.host in {…}`; empty for every other expression. */
function hostsOf(text: string): string[] {
  const [, inner] = /^http\.host in \{ (.*) \}$/.exec(text) ?? [];
  const hosts = inner === undefined ? null : tokensOf(inner);
  return hosts?.every(({ string }) => string !== undefined) ? hosts.map(({ string }) => string as string) : [];
}

/** The address in `concat("address", http.request.uri.path)`, null for every other expression. */
export function concatenated(expression: unknown): string | null {
  const tokens = typeof expression === "string" ? tokensOf(expression) : null;
  const target = tokens?.[2]?.string;
  if (!tokens || target === undefined) return null;
  return spelt(tokens) === `concat ( ${quoted(target)} , http.request.uri.path )` ? target : null;
}
