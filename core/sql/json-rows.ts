import type { TextRow } from "./statement.ts";

/** One property of the rows of a response: a column of the statement, or JSON text that is the same in every row. */
export interface RowProperty {
  readonly name: string;
  /** The JSON text of a property that is the same in every row; it has no column. */
  readonly fixed?: string | undefined;
  /** True for an exact decimal, which is a string in JSON. */
  readonly isDecimal?: boolean;
}

type Write = (text: string) => string;

const [PLUS, MINUS] = [43, 45];
/** Converts PostgreSQL's text of a `timestamptz`, whose offset may be hours alone, to ISO 8601. */
export function isoInstant(text: string): string {
  const space = text.indexOf(" ");
  if (space === -1) return text;
  const sign = text.charCodeAt(text.length - 3);
  return `${text.slice(0, space)}T${text.slice(space + 1)}${sign === PLUS || sign === MINUS ? ":00" : ""}`;
}

/** Characters that JSON escapes: quotes, backslashes and control characters. */
const NEEDS_ESCAPE = /["\\\p{Cc}]/u;
const string: Write = (text) => (NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`);
const quoted: Write = (text) => `"${text}"`;
const bare: Write = (text) => text;
/** JSON has no NaN or infinities; they become strings, as in PostgreSQL's own JSON. */
const number: Write = (text) => (/\d$/.test(text) ? text : quoted(text));

/** How the text of a value becomes JSON, by its type's number in `pg_type`; the same as `row_to_json`. */
const WRITES = new Map<number, Write>([
  [16, (text) => (text === "t" ? "true" : "false")], // boolean
  [20, bare], // bigint
  [21, bare], // smallint
  [23, bare], // integer
  [25, string], // text, and every domain over it
  [114, bare], // json
  [700, number], // real
  [701, number], // double precision
  [1043, string], // varchar
  [1082, quoted], // date
  [1184, (text) => quoted(isoInstant(text))], // timestamptz
  [1700, number], // numeric
  [2950, quoted], // uuid
  [3802, bare], // jsonb
]);

function writeOf(type: number | undefined, { name, isDecimal }: RowProperty): Write {
  const write = isDecimal ? quoted : WRITES.get(type as number);
  if (!write) throw new Error(`${name}: a list has no JSON for values of type ${type} of pg_type; its SQL may give it as json`);
  return write;
}

/**
 * Compiles a writer of rows as a JSON array. PostgreSQL's own functions look up each column of each row again, which took longer than
 * finding the rows.
 * @param properties in the order of the statement's columns
 * @returns writes rows whose first property is column `from`. It throws for a column type without a JSON form, such as lists and rows
 */
export function jsonRows(properties: readonly RowProperty[]): (rows: readonly TextRow[], from?: number) => string {
  const columns = properties.filter(({ fixed }) => fixed === undefined);
  /** The text before the value of each column; `after` is the text after the last. */
  const before: string[] = [];
  let text = "{";
  properties.forEach(({ name, fixed }, index) => {
    text += `${index === 0 ? "" : ","}${JSON.stringify(name)}:${fixed ?? ""}`;
    if (fixed !== undefined) return;
    before.push(text);
    text = "";
  });
  const after = `${text}}`;
  const compiled = new WeakMap<readonly number[], readonly Write[]>();
  const writesOf = (types: readonly number[], from: number): readonly Write[] => {
    let writes = compiled.get(types);
    if (!writes) compiled.set(types, (writes = columns.map((column, index) => writeOf(types[from + index], column))));
    return writes;
  };

  return (rows, from = 0) => {
    const [first] = rows;
    if (!first) return "[]";
    const writes = writesOf(first.types, from);
    let items = "[";
    for (const row of rows) {
      if (row !== first) items += ",";
      for (let index = 0; index < writes.length; index++) {
        const value = row.values[from + index] as string | null;
        items += before[index];
        items += value === null ? "null" : (writes[index] as Write)(value);
      }
      items += after;
    }
    return `${items}]`;
  };
}
