import { bareText, type Cell, isFault, isFilled } from "./files/cell.ts";
import { type Derived, headersOfRule, type Rule, type Source } from "./mapping.ts";

type Cells = ReadonlyMap<string, Cell>;

function sourceText({ header, parts }: Source, cells: Cells): string {
  const text = bareText(cells.get(header) ?? "");
  if (!parts) return text;
  const pieces = text.split(",").map((piece) => piece.trim());
  return pieces
    .slice(parts.from - 1, parts.to ?? undefined)
    .filter(Boolean)
    .join(", ");
}

function labelled(source: Source, cells: Cells): string {
  const text = sourceText(source, cells);
  return text === "" ? "" : `${source.label}: ${text}`;
}

const isWholeCell = ({ parts, label, header }: Source): boolean => parts === null && label === header;

/** The value that other columns yield for a field; a fault in any of them becomes the cell. */
function derivedCell({ headers, shape }: Derived, cells: Cells): Cell {
  const given = headers.map((header) => (header === undefined ? "" : (cells.get(header) ?? "")));
  return given.find(isFault) ?? shape.read(...given.map(bareText));
}

type FirstOf = Extract<Rule, { sources: Source[] }>;

/** A cell, and the columns that it copies. */
interface CopiedCell {
  cell: Cell;
  from?: readonly string[];
}

/** The filled cells of a header and its repetitions, one to a line. */
function wholeCell({ header: first, also = [] }: Source, cells: Cells): CopiedCell {
  const from = [first, ...also].filter((header) => isFilled(cells.get(header)));
  const filled = from.map((header) => cells.get(header) as Cell);
  const [only, other] = filled;
  if (only === undefined) return { cell: "" };
  return { cell: filled.find(isFault) ?? (other === undefined ? only : filled.map(bareText).join("\n")), from };
}

/** The first non-blank value among a field's own columns and its derived ones, which come before or after by their shape. */
function firstTaken({ sources, derived = [] }: FirstOf, cells: Cells): CopiedCell {
  const made = (isBefore: boolean): CopiedCell[] =>
    derived.filter(({ shape }) => (shape.first === true) === isBefore).map((one) => ({ cell: derivedCell(one, cells) }));
  const own = sources.map((source) => wholeCell(source, cells));
  return [...made(true), ...own, ...made(false)].find(({ cell }) => isFilled(cell)) ?? { cell: "" };
}

/** The cell for a rule: unchanged for a single whole cell, otherwise a text from several cells or a part. */
function ruleCell(rule: Rule, cells: Cells): Cell {
  if ("constant" in rule) return rule.constant;
  if (rule.isFirst) return firstTaken(rule, cells).cell;
  const [only, other] = rule.sources as [Source, ...Source[]];
  const given = rule.sources.map(({ header }) => cells.get(header) ?? "");
  if (!other && isWholeCell(only)) return given[0] as Cell;
  const fault = given.find(isFault);
  if (fault) return fault;
  if (!other) return only.label === only.header ? sourceText(only, cells) : labelled(only, cells);
  return rule.sources.flatMap((source) => labelled(source, cells) || []).join("\n");
}

const cellsByHeader = (headers: readonly string[], cells: readonly Cell[]): Cells =>
  new Map(headers.map((header, column) => [header, cells[column] === undefined ? "" : cells[column]]));

/** The cells of one row by field, without blank ones. */
export function rowValues(rules: readonly Rule[], headers: readonly string[], cells: readonly Cell[]): Record<string, Cell> {
  const byHeader = cellsByHeader(headers, cells);
  return Object.fromEntries(
    rules.flatMap((rule) => {
      const cell = ruleCell(rule, byHeader);
      return isFilled(cell) ? [[rule.field, cell]] : [];
    }),
  );
}

/** The words of a text, normalised so that two notations of a value are equal: numbers by their digits. */
const wordsIn = (text: string): string[] =>
  /^[\d\s()+./-]+$/.test(text) ? [text.replace(/\D/g, "")] : (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);

/**
 * The cells of one row in known columns that contain more than was used, because another column came first or a field used only a part.
 * Omits cells whose words all occur in the values used.
 */
export function leftCells(
  rules: readonly Rule[],
  headers: readonly string[],
  cells: readonly Cell[],
): { column: string; header: string; value: string }[] {
  const byHeader = cellsByHeader(headers, cells);
  const firsts = rules.flatMap((rule) => ("sources" in rule && rule.isFirst ? rule : []));
  const taken = firsts.map((rule) => firstTaken(rule, byHeader));
  const used = new Set<string | undefined>([
    ...rules.flatMap((rule) => ("sources" in rule && !rule.isFirst ? headersOfRule(rule) : [])),
    ...taken.flatMap(({ from }) => from ?? []),
    ...firsts.flatMap(({ derived = [] }) => derived.filter(({ shape }) => shape.isWhole).flatMap(({ headers: all }) => all)),
  ]);
  const left = firsts.flatMap((rule) =>
    headersOfRule(rule).flatMap((header) => {
      const cell = byHeader.get(header) ?? "";
      if (used.has(header) || !isFilled(cell)) return [];
      used.add(header);
      return { column: rule.field, header, value: bareText(cell) };
    }),
  );
  if (left.length === 0) return left;
  // Of a list, each part counts, with its label and without.
  const known = new Set(
    taken.flatMap(({ cell }) => [bareText(cell), ...bareText(cell).split(/;|:\s/)]).flatMap((text) => wordsIn(text.trim())),
  );
  return left.filter(({ value }) => !wordsIn(value).every((word) => known.has(word)));
}
