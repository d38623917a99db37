import { type Cell, cellText } from "./files/cell.ts";
import { isFilled } from "./files/sheet.ts";
import type { Rule, Source } from "./mapping.ts";

type Cells = ReadonlyMap<string, Cell>;

function sourceText({ header, parts }: Source, cells: Cells): string {
  const text = cellText(cells.get(header) ?? "");
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

/** The cell a rule gives: as it stands where it is one cell, else the text that is made of several or of a part. */
function ruleCell(rule: Rule, cells: Cells): Cell {
  if ("constant" in rule) return rule.constant;
  const { sources, isFirst } = rule;
  const whole = isFirst || sources.length === 1 ? sources.filter(isWholeCell) : [];
  if (whole.length > 0) return whole.map(({ header }) => cells.get(header) ?? "").find(isFilled) ?? "";
  const [only] = sources;
  if (sources.length === 1 && only) return only.label === only.header ? sourceText(only, cells) : labelled(only, cells);
  return sources.flatMap((source) => labelled(source, cells) || []).join("\n");
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
