import type { Rule, Source } from "./mapping.ts";

/** The text of a cell: trimmed, and without the apostrophe an export puts before what a spreadsheet would run (conventions §22). */
export function cellText(cell: string): string {
  const text = cell.trim();
  return /^'[=+\-@\t\r]/.test(text) ? text.slice(1) : text;
}

function sourceText({ header, parts }: Source, cells: ReadonlyMap<string, string>): string {
  const text = cellText(cells.get(header) ?? "");
  if (!parts) return text;
  const pieces = text.split(",").map((piece) => piece.trim());
  return pieces
    .slice(parts.from - 1, parts.to ?? undefined)
    .filter(Boolean)
    .join(", ");
}

function ruleText(rule: Rule, cells: ReadonlyMap<string, string>): string {
  if ("constant" in rule) return rule.constant;
  const [only] = rule.sources;
  if (rule.sources.length === 1 && only) return only.label === only.header ? sourceText(only, cells) : labelled(only, cells);
  return rule.sources.flatMap((source) => labelled(source, cells) || []).join("\n");
}

function labelled(source: Source, cells: ReadonlyMap<string, string>): string {
  const text = sourceText(source, cells);
  return text === "" ? "" : `${source.label}: ${text}`;
}

/** The values of one row by field; a field whose cells are blank is not among them. */
export function rowValues(rules: readonly Rule[], headers: readonly string[], cells: readonly string[]): Record<string, string> {
  const byHeader = new Map(headers.map((header, column) => [header, cells[column] ?? ""]));
  return Object.fromEntries(
    rules.flatMap((rule) => {
      const text = ruleText(rule, byHeader);
      return text === "" ? [] : [[rule.field, text]];
    }),
  );
}
