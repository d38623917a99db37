import { formatAmount, sum } from "../../../../core/values/money.ts";
import type { DocumentLineRow, LineKind } from "../../documents/models.ts";
import type { PlacedField } from "../template-blocks.ts";
import { money, plain } from "../texts/formats.ts";
import type { Words } from "../texts/words.ts";

/** Kinds of lines in printing order (money §14). */
const ORDER: readonly LineKind[] = ["hours", "subscription", "domain", "product"];
/** Right-aligned columns. */
const FIGURES = new Set(["quantity", "unit_price", "tax", "amount"]);

export interface ColumnView {
  key: string;
  label: string;
  is_figure: boolean;
}

/** Lines of one kind; a document's only section has neither title nor subtotal. */
export interface SectionView {
  kind: LineKind;
  title: string | null;
  rows: { cells: { key: string; value: string; is_figure: boolean }[] }[];
  subtotal: string | null;
}

/** The format of a document's amounts. */
export interface Writing {
  currency: string;
  locale: string;
  words: Words;
}

const taxOf = (line: DocumentLineRow, { locale, words }: Writing): string =>
  words.categories[line.tax_category] ?? `${plain(line.tax_rate_pct, locale)}%`;

function cellOf(line: DocumentLineRow, key: string, writing: Writing): string {
  const { currency, locale } = writing;
  switch (key) {
    case "quantity":
      return plain(line.quantity, locale);
    case "unit":
      return line.unit ?? "";
    case "unit_price":
      return money(line.unit_price, currency, locale);
    case "tax":
      return taxOf(line, writing);
    case "amount":
      return money(line.amount, currency, locale);
    default:
      return line.description;
  }
}

/** The columns of a table of lines, with the template's headings. */
export const columnsOf = (fields: readonly PlacedField[], label: (field: PlacedField) => string): ColumnView[] =>
  fields.map((field) => ({ key: field.key, label: label(field), is_figure: FIGURES.has(field.key) }));

/** The lines in sections by kind, each with its subtotal; a single kind is one section without a subtotal (money §14). */
export function sectionsOf(lines: readonly DocumentLineRow[], columns: readonly ColumnView[], writing: Writing): SectionView[] {
  const kinds = ORDER.filter((kind) => lines.some(({ line_kind }) => line_kind === kind));
  const { currency, locale, words } = writing;
  return kinds.map((kind) => {
    const members = lines.filter(({ line_kind }) => line_kind === kind);
    const rows = members.map((line) => ({
      cells: columns.map(({ key, is_figure }) => ({ key, is_figure, value: cellOf(line, key, writing) })),
    }));
    if (kinds.length === 1) return { kind, title: null, rows, subtotal: null };
    const subtotal = money(formatAmount(sum(members.map(({ amount }) => amount))), currency, locale);
    return { kind, title: words.kinds[kind], rows, subtotal };
  });
}
