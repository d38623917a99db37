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
  | { field: string; sources: Source[]; isFirst?: true; derived?: Derived[] }
  | { field: string; constant: string };

/** The columns that a rule reads. */
export function headersOfRule(rule: Rule): string[] {
  if ("constant" in rule) return [];
  const derived = (rule.derived ?? []).flatMap(({ headers }) => headers.flatMap((header) => header ?? []));
  return [...rule.sources.map(({ header }) => header), ...derived];
}

/** The mapping grammar, shown in the command's help. */
export const MAPPING_HELP = [
  "A mapping is FIELD=SOURCE, several separated by commas. A SOURCE is",
  "  Header            the cell of that column; in double quotes when the header holds , | = or [",
  "  Header[1]         its first comma-separated part; [2..] everything from the second on",
  "  A|B[2..]|Label:C  several columns, one 'Header: value' (or 'Label: value') line each; blank cells are left out",
  "  'text'            the same text for every row",
  "Columns named like a field, in English, Dutch or German or as the tools people leave call them ('Client number', 'Klantnummer' and",
  "'Relatienummer' for client_number), need no mapping; of several that fit one field the first that is not blank counts. Other columns",
  "are ignored. A blank cell leaves the field alone.",
];

/** A mapping that cannot be used. @param key the error of `map`, under `impex.errors` */
const refusedMap = (sentence: string, key: "invalid_map" | "unknown_column" | "duplicate_column" = "invalid_map") =>
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

const unquoted = (text: string): string => (/^".*"$/.test(text) ? text.slice(1, -1) : text);
const PARTS = /^(?<rest>.*?)\s*\[(?<from>[1-9]\d?)(?<open>\.\.(?<to>[1-9]\d?)?)?\]$/s;

function readSource(text: string, headers: readonly string[]): Source {
  const known = (name: string) =>
    headers.find((header) => header === name) ?? headers.find((header) => header.toLowerCase() === name.toLowerCase());
  const found = (header: string, parts: Parts | null, label = header): Source => {
    if (headers.filter((other) => other === header).length > 1)
      throw refusedMap(`The file has several columns '${header}'; rename all but one.`, "duplicate_column");
    return { header, parts, label };
  };
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

function readRule(text: string, headers: readonly string[], fields: readonly string[]): Rule {
  const [field = "", ...rest] = cut(text, "=");
  const source = rest.join("=");
  if (field === "" || source === "") throw refusedMap(`'${text}' is not a mapping: write FIELD=Header.`);
  if (!fields.includes(field))
    throw refusedMap(`There is no field '${field}' to import: ${fields.join(", ")}.`, "unknown_column");
  if (/^'.*'$/s.test(source)) return { field, constant: source.slice(1, -1) };
  return { field, sources: cut(source, "|").map((part) => readSource(part, headers)) };
}

/** The columns named after a field's key or names, the best name first. @throws ImportRefused if two columns have the same name */
function namedLike({ key, names = [] }: Field, headersOf: ReadonlyMap<string, readonly string[]>): string[] {
  return [...new Set([key, ...names].map(bare))].flatMap((name) => {
    const [header, twin] = headersOf.get(name) ?? [];
    if (twin === undefined) return header ?? [];
    throw new ImportRefused(`The columns '${header}' and '${twin}' have the same name: rename one of them.`, {
      [key]: "impex.errors.duplicate_column",
    });
  });
}

/** The shapes of a field that these headers allow. A name shared by two columns allows none. */
const derivedFrom = ({ shapes = [] }: Field, headersOf: ReadonlyMap<string, readonly string[]>): Derived[] =>
  shapes.flatMap((shape) => {
    const headers = shape.from.map((names) => {
      const found = names.map((name) => headersOf.get(bare(name)) ?? []).find(({ length }) => length === 1);
      return found?.[0];
    });
    return headers.some((header) => header !== undefined) ? [{ headers, shape }] : [];
  });

const asFields = (offered: readonly (Field | string)[]): Field[] =>
  offered.map((field): Field => (typeof field === "string" ? { key: field, kind: "text" } : field));
const mappingsOf = (texts: readonly string[]): string[] => texts.flatMap((text) => cut(text, ",").filter(Boolean));

/**
 * The source of each field, from the mappings and from columns named like a field.
 * @param texts mappings as entered (see `MAPPING_HELP`)
 * @throws ImportRefused for an unknown field or column, a field mapped twice, and two columns of the same name
 */
export function readMapping(texts: readonly string[], headers: readonly string[], offered: readonly (Field | string)[]): Rule[] {
  const fields = asFields(offered);
  const keys = fields.map(({ key }) => key);
  const rules = mappingsOf(texts).map((text) => readRule(text, headers, keys));
  const twice = rules.find(({ field }, index) => rules.findIndex((other) => other.field === field) < index);
  if (twice) throw refusedMap(`The field '${twice.field}' is mapped twice.`);
  const mapped = new Set(rules.map(({ field }) => field));
  const used = new Set(rules.flatMap(headersOfRule));
  const free = fields.filter(({ key }) => !mapped.has(key));
  const headersOf = Map.groupBy(
    headers.filter((header) => !used.has(header)),
    bare,
  );
  const named = free.flatMap((field): Rule[] => {
    const columns = namedLike(field, headersOf).filter((header) => !used.has(header));
    for (const header of columns) used.add(header);
    const derived = derivedFrom(field, headersOf);
    if (columns.length === 0 && derived.length === 0) return [];
    const sources = columns.map((header) => ({ header, parts: null, label: header }));
    return [{ field: field.key, sources, isFirst: true, ...(derived.length > 0 && { derived }) }];
  });
  return [...rules, ...named];
}

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
  for (const { key, names = [], shapes = [] } of offered)
    for (const name of [key, ...names, ...shapes.flatMap(({ from }) => from.flat())])
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
