import { bareText, type Cell, isFault, isFilled } from "./files/cell.ts";
import type { Derived, Rule, Source } from "./mapping.ts";

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

/** What other columns say about a field; a failed one among them is what it is. */
function derivedCell({ headers, shape }: Derived, cells: Cells): Cell {
  const given = headers.map((header) => (header === undefined ? "" : (cells.get(header) ?? "")));
  return given.find(isFault) ?? shape.read(...given.map(bareText));
}

/** The first cell that is not blank. */
const firstFilled = (cells: readonly Cell[]): Cell => cells.find(isFilled) ?? "";

/** The first cell of a field's own columns that is not blank, before or after what others say about it. */
function firstCell({ sources, derived = [] }: Extract<Rule, { sources: Source[] }>, cells: Cells): Cell {
  const made = (isBefore: boolean) =>
    derived.filter(({ shape }) => (shape.first === true) === isBefore).map((one) => derivedCell(one, cells));
  return firstFilled([...made(true), ...sources.map(({ header }) => cells.get(header) ?? ""), ...made(false)]);
}

/** The cell a rule gives: as it stands where it is one cell, else the text that is made of several or of a part. */
function ruleCell(rule: Rule, cells: Cells): Cell {
  if ("constant" in rule) return rule.constant;
  if (rule.isFirst) return firstCell(rule, cells);
  const [only, other] = rule.sources as [Source, ...Source[]];
  const given = rule.sources.map(({ header }) => cells.get(header) ?? "");
  if (!other && isWholeCell(only)) return given[0] as Cell;
  const fault = given.find(isFault);
  if (fault) return fault;
  if (!other) return only.label === only.header ? sourceText(only, cells) : labelled(only, cells);
  return rule.sources.flatMap((source) => labelled(source, cells) || []).join("\n");
}

/** The cells of one row by field; a field whose cells are blank is not among them. */
export function rowValues(rules: readonly Rule[], headers: readonly string[], cells: readonly Cell[]): Record<string, Cell> {
  const byHeader = new Map(headers.map((header, column) => [header, cells[column] === undefined ? "" : cells[column]]));
  return Object.fromEntries(
    rules.flatMap((rule) => {
      const cell = ruleCell(rule, byHeader);
      return isFilled(cell) ? [[rule.field, cell]] : [];
    }),
  );
}
