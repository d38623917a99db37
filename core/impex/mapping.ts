import { bare, type Field, type Shape } from "./field.ts";
import { ImportRefused } from "./refused.ts";

/** Comma-separated parts of a cell, counted from 1: `from` to `to`, or to the last without `to`. */
export interface Parts {
  from: number;
  to: number | null;
}

/** One source of a value: a column or some of its parts; `label` names it among several joined sources. */
export interface Source {
  header: string;
  parts: Parts | null;
  label: string;
  /** The repetitions of the header whose cells belong to the same list. */
  also?: readonly string[];
}

/** Columns that together determine a field; undefined for those missing in the file. */
export interface Derived {
  headers: readonly (string | undefined)[];
  shape: Shape;
}

/**
 * The source of a field. Several sources are joined; with `isFirst` the first non-blank one counts, including values derived from other
 * columns. A constant is the same text for every row.
 */
export type Rule =
  | { field: string; sources: Source[]; isFirst?: true; isGuess?: true; derived?: Derived[] }
  | { field: string; constant: string };

/** The columns that a rule reads. */
export function headersOfRule(rule: Rule): string[] {
  if ("constant" in rule) return [];
  const derived = (rule.derived ?? []).flatMap(({ headers }) => headers.flatMap((header) => header ?? []));
  return [...rule.sources.flatMap(({ header, also = [] }) => [header, ...also]), ...derived];
}

/** The mapping grammar, shown in the command's help. */
export const MAPPING_HELP = [
  "A mapping is FIELD=SOURCE, several separated by commas. A SOURCE is",
  "  Header            the cell of that column; in double quotes when the header holds , | = or [",
  "  Header[1]         its first comma-separated part; [2..] everything from the second on",
  "  A|B[2..]|Label:C  several columns, one 'Header: value' (or 'Label: value') line each; blank cells are left out",
  "  'text'            the same text for every row",
  "Header= leaves a column out.",
  "Columns named like a field, in English, Dutch or German or as the tools people leave call them ('Client number', 'Klantnummer' and",
  "'Relatienummer' for client_number), need no mapping; of several that fit one field the first that is not blank counts. Other columns",
  "are ignored. A blank cell leaves the field alone.",
];

/** A mapping that cannot be used. @param key the error of `map`, under `impex.errors` */
const refusedMap = (sentence: string, key: "invalid_map" | "unknown_column" = "invalid_map") =>
  new ImportRefused(sentence, { map: `impex.errors.${key}` });

/** Splits at a character outside quotes. */
function cut(text: string, at: string): string[] {
  const pieces: string[] = [""];
  let quote = "";
  for (const character of text) {
    const isOpening = quote === "" && (character === '"' || (character === "'" && /(^|=)\s*$/.test(pieces.at(-1) as string)));
    if (character === at && quote === "") pieces.push("");
    else pieces[pieces.length - 1] += character;
    if (isOpening) quote = character;
    else if (character === quote) quote = "";
  }
  if (quote !== "") throw refusedMap(`A quote is not closed in the mapping '${text}'.`);
  return pieces.map((piece) => piece.trim());
}

/** The header that a numbered one repeats (see `distinctHeaders`), or the header itself. */
function repeatedHeader(header: string, headers: readonly string[]): string {
  const own = /^(.+) \(\d+\)$/s.exec(header)?.[1];
  return own !== undefined && headers.includes(own) ? own : header;
}
const bareHeader = (header: string, headers: readonly string[]): string => bare(repeatedHeader(header, headers));
const repetitionsOf = (header: string, headers: readonly string[]): string[] =>
  headers.filter((other) => repeatedHeader(other, headers) === header);

/** The columns that the mapping `Header=` leaves out; undefined for another mapping. @throws ImportRefused if the file has no such column */
function leftOutBy(text: string, headers: readonly string[]): string[] | undefined {
  if (!text.endsWith("=")) return undefined;
  const { header } = readSource(text.slice(0, -1).trim(), headers);
  return repetitionsOf(header, headers);
}

const unquoted = (text: string): string => (/^".*"$/.test(text) ? text.slice(1, -1) : text);
const PARTS = /^(?<rest>.*?)\s*\[(?<from>[1-9]\d?)(?<open>\.\.(?<to>[1-9]\d?)?)?\]$/s;

function readSource(text: string, headers: readonly string[]): Source {
  const known = (name: string) =>
    headers.find((header) => header === name) ?? headers.find((header) => header.toLowerCase() === name.toLowerCase());
  const found = (header: string, parts: Parts | null, label = header): Source => ({ header, parts, label });
  const whole = known(unquoted(text));
  if (whole !== undefined) return found(whole, null);
  const match = PARTS.exec(text)?.groups;
  const from = Number(match?.["from"]);
  const parts = match ? { from, to: match["to"] ? Number(match["to"]) : match["open"] ? null : from } : null;
  const name = match?.["rest"] ?? text;
  const column = known(unquoted(name));
  if (column !== undefined) return found(column, parts);
  const [label = "", ...after] = cut(name, ":");
  const labelled = after.length > 0 ? known(unquoted(after.join(":"))) : undefined;
  if (labelled !== undefined && label !== "") return found(labelled, parts, unquoted(label));
  throw refusedMap(`The file has no column '${unquoted(name)}': it has ${headers.filter(Boolean).join(", ")}.`, "unknown_column");
}

/** The whole columns of a field, the repetitions of a list's column with the first of them. */
function asSources(columns: readonly string[], { kind }: Field, headers: readonly string[]): Source[] {
  if (kind !== "list") return columns.map((header) => ({ header, parts: null, label: header }));
  return [...Map.groupBy(columns, (column) => repeatedHeader(column, headers)).values()].map(([header = "", ...also]) => ({
    ...{ header, parts: null, label: header },
    ...(also.length > 0 && { also }),
  }));
}

function readRule(text: string, headers: readonly string[], fields: readonly Field[]): Rule {
  const [key = "", ...rest] = cut(text, "=");
  const source = rest.join("=");
  if (key === "" || source === "") throw refusedMap(`'${text}' is not a mapping: write FIELD=Header.`);
  const field = fields.find((one) => one.key === key);
  if (!field)
    throw refusedMap(`There is no field '${key}' to import: ${fields.map((one) => one.key).join(", ")}.`, "unknown_column");
  if (/^'.*'$/s.test(source)) return { field: key, constant: source.slice(1, -1) };
  const sources = cut(source, "|").map((part) => readSource(part, headers));
  const [only, other] = sources as [Source, ...Source[]];
  const repeats = other || only.parts || only.label !== only.header ? [] : repetitionsOf(only.header, headers);
  if (repeats.length < 2) return { field: key, sources };
  return { field: key, sources: asSources(repeats, field, headers), isFirst: true };
}

/** The columns named after a field's key or names, the best name first. */
const namedLike = ({ key, names = [] }: Field, headersOf: ReadonlyMap<string, readonly string[]>): string[] =>
  [...new Set([key, ...names].map(bare))].flatMap((name) => headersOf.get(name) ?? []);

/** The shapes of a field that these headers allow. */
const derivedFrom = ({ shapes = [] }: Field, headersOf: ReadonlyMap<string, readonly string[]>): Derived[] =>
  shapes.flatMap((shape) => {
    const headers = shape.from.map((names) => names.flatMap((name) => headersOf.get(bare(name)) ?? [])[0]);
    return headers.some((header) => header !== undefined) ? [{ headers, shape }] : [];
  });

/** The columns that only a guess gives to a field: those no other field claims, and, where the guess wants one, next to another column. */
function guessed(fields: readonly Field[], headers: readonly string[], free: ReadonlySet<string>): Rule[] {
  const [taken, filled] = [new Set<string>(), new Set<string>()];
  const named = (header: string | undefined, names: readonly string[]) =>
    header !== undefined && names.some((name) => bare(name) === bareHeader(header, headers));
  const guesses = fields.flatMap((field) => (field.guesses ?? []).map((guess) => ({ field, ...guess })));
  const inOrder = [...guesses.filter(({ nextTo }) => nextTo), ...guesses.filter(({ nextTo }) => !nextTo)];
  return inOrder.flatMap(({ field, names, nextTo }): Rule[] => {
    if (filled.has(field.key)) return [];
    const found = headers.find(
      (header, at) =>
        free.has(header) &&
        !taken.has(header) &&
        named(header, names) &&
        (!nextTo || named(headers[at - 1], nextTo) || named(headers[at + 1], nextTo)),
    );
    if (found === undefined) return [];
    taken.add(found);
    filled.add(field.key);
    return [{ field: field.key, sources: asSources([found], field, headers), isFirst: true, isGuess: true }];
  });
}

const asFields = (offered: readonly (Field | string)[]): Field[] =>
  offered.map((field): Field => (typeof field === "string" ? { key: field, kind: "text" } : field));
const mappingsOf = (texts: readonly string[]): string[] => texts.flatMap((text) => cut(text, ",").filter(Boolean));

/**
 * The source of each field, from the mappings and from columns named like a field.
 * @param texts mappings as entered (see `MAPPING_HELP`)
 * @throws ImportRefused for an unknown field or column, and a field mapped twice
 */
export function readMapping(texts: readonly string[], headers: readonly string[], offered: readonly (Field | string)[]): Rule[] {
  const fields = asFields(offered);
  const mappings = mappingsOf(texts);
  const leftOut = mappings.flatMap((text) => leftOutBy(text, headers) ?? []);
  const rules = mappings.filter((text) => !text.endsWith("=")).map((text) => readRule(text, headers, fields));
  const twice = rules.find(({ field }, index) => rules.findIndex((other) => other.field === field) < index);
  if (twice) throw refusedMap(`The field '${twice.field}' is mapped twice.`);
  const mapped = new Set(rules.map(({ field }) => field));
  const used = new Set([...rules.flatMap(headersOfRule), ...leftOut]);
  const free = fields.filter(({ key }) => !mapped.has(key));
  const headersOf = Map.groupBy(
    headers.filter((header) => header !== "" && !used.has(header)),
    (header) => bareHeader(header, headers),
  );
  const named = free.flatMap((field): Rule[] => {
    const columns = namedLike(field, headersOf).filter((header) => !used.has(header));
    for (const header of columns) used.add(header);
    const derived = derivedFrom(field, headersOf);
    if (columns.length === 0 && derived.length === 0) return [];
    const sources = asSources(columns, field, headers);
    return [{ field: field.key, sources, isFirst: true, ...(derived.length > 0 && { derived }) }];
  });
  const ruled = new Set([...rules, ...named].map(({ field }) => field));
  const claimed = new Set([...used, ...named.flatMap(headersOfRule)]);
  const unclaimed = new Set(headers.filter((header) => header !== "" && !claimed.has(header)));
  const guesses = guessed(
    free.filter(({ key }) => !ruled.has(key)),
    headers,
    unclaimed,
  );
  return [...rules, ...named, ...guesses];
}

/** The columns that are read under a guess, with the field each is taken as. */
export const takenAs = (rules: readonly Rule[]): { column: string; as: string }[] =>
  rules.flatMap((rule) => {
    if ("constant" in rule) return [];
    const { field, sources, isGuess, derived = [] } = rule;
    if (isGuess) return sources.map(({ header }) => ({ column: header, as: field }));
    if (sources.length > 0) return [];
    return derived.flatMap(({ headers, shape }) =>
      shape.isGuess && headers.every((header) => header !== undefined) ? { column: headers[0] as string, as: field } : [],
    );
  });

/** The possible headers in a mapping, in lower case: the whole source, or the text before a part or after a label. */
function headersMeant(text: string): string[] {
  const [, ...rest] = cut(text, "=");
  const source = rest.join("=");
  if (/^'.*'$/s.test(source)) return [];
  return cut(source, "|").flatMap((part) => {
    const name = PARTS.exec(part)?.groups?.["rest"] ?? part;
    const [, ...after] = cut(name, ":");
    return [part, name, after.join(":")].map((one) => unquoted(one).toLowerCase()).filter(Boolean);
  });
}

/**
 * Counts the columns that would be read under given headers: those in a mapping, and those named like a field.
 * @throws ImportRefused for a mapping with an unclosed quote
 */
export function knownHeaders(texts: readonly string[], offered: readonly Field[]): (headers: readonly string[]) => number {
  const meant = new Set(mappingsOf(texts).flatMap(headersMeant));
  const keyOf = new Map<string, string>();
  for (const { key, names = [], shapes = [], guesses = [] } of offered)
    for (const name of [key, ...names, ...shapes.flatMap(({ from }) => from.flat()), ...guesses.flatMap((one) => one.names)])
      if (!keyOf.has(bare(name))) keyOf.set(bare(name), key);
  return (headers) => {
    const found = headers.flatMap((header) => {
      if (header === "") return [];
      if (meant.has(header.toLowerCase())) return `=${header.toLowerCase()}`;
      const name = bare(header);
      return keyOf.get(name) ?? (name.startsWith("custom") && header.toLowerCase().startsWith("custom.") ? header : []);
    });
    return new Set(found).size;
  };
}

/** The columns that no rule reads. */
export function ignoredColumns(rules: readonly Rule[], headers: readonly string[]): string[] {
  const used = new Set(rules.flatMap(headersOfRule));
  return headers.filter((header) => header !== "" && !used.has(header));
}
