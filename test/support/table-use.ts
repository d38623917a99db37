import { textsIn } from "./source-texts.ts";

/** Columns by table; tables of other schemas include the schema. */
export type Tables = Map<string, ReadonlySet<string>>;

const NAME = "((?:[a-z_]+\\.)?[a-z_]+|\\?)";
const WRITE = new RegExp(`\\b(?:update|insert into|delete from)\\s+(?:only\\s+)?${NAME}(?=\\s|$|\\()`, "g");
const MENTION = new RegExp(
  `\\b(?:from|join|update|insert into|delete from|lock table)\\s+(?:only\\s+)?${NAME}(?:\\s+(?:as\\s+)?([a-z][a-z0-9_]*))?`,
  "g",
);
/** Words after a table that are not its alias. */
const KEYWORDS = new Set(
  "as on where set values select using join left right inner full cross natural order group having limit offset returning default union for with lateral tablesample when then and or".split(
    " ",
  ),
);

/** Tables that a source file's texts write; `?` is an interpolated name. */
export function writesIn(source: string, tables: Tables): string[] {
  return textsIn(source).flatMap((text) =>
    [...text.matchAll(WRITE)].flatMap(([statement, table = ""]) => {
      // `for update of t` and `on conflict do update set` name no table to write.
      if (table === "?" || tables.has(table)) return /^update\s+set$/.test(statement) ? [] : [table];
      return [];
    }),
  );
}

/**
 * Columns by table that a source file's texts name: after an alias or the table's name anywhere in the file, because statements are often
 * assembled from several texts; unqualified ones only in the text that names the table.
 */
export function readsIn(source: string, tables: Tables): Map<string, Set<string>> {
  const texts = textsIn(source);
  const found = new Map<string, Set<string>>();
  const note = (table: string, columns: Iterable<string>) => {
    const known = found.get(table) ?? new Set();
    found.set(table, known);
    for (const column of columns) known.add(column);
  };
  const mentions = texts.map((text) =>
    [...text.matchAll(MENTION)].flatMap(([, table = "", alias]) =>
      tables.has(table) ? [{ table, alias: alias === undefined || KEYWORDS.has(alias) ? null : alias }] : [],
    ),
  );
  const qualified = new Map<string, Set<string>>();
  for (const text of texts)
    for (const [, alias = "", column = ""] of text.matchAll(/\b([a-z][a-z0-9_]*)\.([a-z_]+)\b/g))
      qualified.set(alias, (qualified.get(alias) ?? new Set()).add(column));
  for (const [index, inText] of mentions.entries()) {
    const text = texts[index] as string;
    for (const { table, alias } of inText) {
      const columns = tables.get(table) as ReadonlySet<string>;
      const behind = qualified.get(alias ?? table) ?? new Set<string>();
      note(
        table,
        [...behind].filter((column) => columns.has(column)),
      );
      if (alias !== null) continue;
      const bare = [...text.matchAll(/(?<![.\w])([a-z_]+)(?![\w(.])/g)].map(([, word = ""]) => word);
      note(
        table,
        bare.filter((word) => columns.has(word)),
      );
    }
  }
  return found;
}
