import { stripVTControlCharacters } from "node:util";

type Row = Readonly<Record<string, unknown>>;

/** Columns that say most about a row, in their order. */
const TELLING: readonly string[] = [
  "id",
  "number",
  "name",
  "full_name",
  "title",
  "label",
  "subject",
  "key",
  "type",
  "kind",
  "status",
  "state",
  "email",
  "date",
  "issued_on",
  "due_on",
  "due_date",
  "started_at",
  "minutes",
  "amount",
  "total",
  "is_active",
  "created_at",
];
const MOST_COLUMNS = 6;
const WIDEST = 60;

const isPlain = (value: unknown) => typeof value !== "object" || value === null;

/** A value in one line; without characters that a terminal acts on, for others wrote the texts. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  return stripVTControlCharacters(text).replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ");
}

const cut = (text: string) => (text.length > WIDEST ? `${text.slice(0, WIDEST - 1)}…` : text);

/** The columns of rows: those that say most, or else the first plain ones. */
export function columnsOf(rows: readonly Row[]): string[] {
  const [first = {}] = rows;
  const plain = Object.keys(first).filter((name) => rows.every((row) => isPlain(row[name])));
  const telling = TELLING.filter((name) => plain.includes(name)).slice(0, MOST_COLUMNS);
  const others = plain.filter((name) => !telling.includes(name));
  return telling.length >= 3 ? telling : [...telling, ...others].slice(0, MOST_COLUMNS);
}

/** Rows as a table, each line after the first below its column. */
export function table(rows: readonly Row[], columns: readonly string[], withHead: boolean, widths: number[] = []): string {
  const head = columns.map((name) => name.toUpperCase());
  const cells = rows.map((row) => columns.map((name) => cut(cell(row[name]))));
  for (const line of [...(withHead ? [head] : []), ...cells])
    for (const [index, text] of line.entries()) widths[index] = Math.max(widths[index] ?? 0, text.length);
  const lines = [...(withHead ? [head] : []), ...cells].map((line) =>
    line
      .map((text, index) => text.padEnd(widths[index] as number))
      .join("  ")
      .trimEnd(),
  );
  return lines.map((line) => `${line}\n`).join("");
}

/** A row as one line for each member. */
export function record(row: Row): string {
  const width = Math.max(0, ...Object.keys(row).map((name) => name.length));
  return Object.entries(row)
    .map(([name, value]) => `${name.padEnd(width)}  ${cell(value)}`.trimEnd())
    .map((line) => `${line}\n`)
    .join("");
}

/** Whether a value is a list of rows, which a table can show. */
export const isRows = (value: unknown): value is Row[] =>
  Array.isArray(value) && value.every((one) => typeof one === "object" && one !== null && !Array.isArray(one));
export const isRow = (value: unknown): value is Row => typeof value === "object" && value !== null && !Array.isArray(value);
