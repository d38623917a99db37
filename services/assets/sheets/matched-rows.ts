import { activeDefinitions, type CustomEntityType } from "../../../core/custom-fields/definitions.ts";
import type { CustomValues } from "../../../core/custom-fields/values.ts";
import type { Values } from "../../../core/database/write.ts";
import { mergedCustom, newValues } from "../../../core/impex/changes.ts";
import type { ImportRows, Opened, Outcome, Refused } from "../../../core/impex/entity.ts";
import { type Identified, rememberedId } from "../../../core/impex/identity.ts";
import { refusedBy } from "../../../core/impex/import.ts";
import { type Match, namesakesAmong } from "../../../core/impex/matching.ts";

/** How the rows of one kind of record are written once they are matched. */
export interface Matched<Row> {
  entity: CustomEntityType;
  rows: ImportRows;
  matches: readonly Match<Identified>[];
  /** Ids of the file that are there, but not for the caller to see. */
  hidden: { has(id: string): boolean };
  /** The column of a match that is not by id. */
  column: string;
  /** The columns of the file by the fields of a body that they are told by, where they differ. */
  columnOf: Readonly<Record<string, string>>;
  /** Stored rows, as the file may change them. */
  readRows(ids: readonly string[]): Promise<Row[]>;
  /** The values of a row as a body has them, or what names nothing. */
  bodyOf(row: Values): { values: Values } | { refused: Refused };
  /** What refuses a row whatever it holds, because of the records there are. */
  clash?(row: Values, match: Match<Identified>): Refused | undefined;
  /** The body of what is new, with what it needs beside the row's own values, or what is wrong with that. */
  made?(row: Values, values: Values): { values: Values } | { refused: Refused };
  checkCreate(body: Values): void;
  checkUpdate(body: Values): void;
  create(body: Values, id: string | undefined): Promise<unknown>;
  /** @returns whether anything differed */
  change(before: Row, body: Values): Promise<boolean>;
  /** The stored row as a body would have it. */
  shown?(before: Row): Values;
}

/** Writes matched rows by the rules of the actions that create and change such a record. */
export function matchedRows<Row extends Values & { id: string; custom: CustomValues }>(matched: Matched<Row>): Opened {
  const { entity, rows, matches, hidden, column, columnOf, readRows, bodyOf, clash } = matched;
  const { shown = (before) => before, made = (_, values) => ({ values }) } = matched;
  let stored = new Map<string, Row>();

  async function create(row: Values, values: Values): Promise<Outcome> {
    const given = row["id"] as string | undefined;
    if (given !== undefined && hidden.has(given)) return { id: "errors.not_found" };
    const body = made(row, values);
    if ("refused" in body) return body.refused;
    matched.checkCreate(body.values);
    await matched.create(body.values, given === undefined ? undefined : rememberedId(entity, given));
    return "created";
  }

  async function change(before: Row, { custom: given, ...values }: Values): Promise<Outcome> {
    const custom = mergedCustom(before.custom, given as CustomValues | undefined, await activeDefinitions(entity));
    const body: Values = { ...newValues(shown(before), values), ...(custom && { custom }) };
    if (Object.keys(body).length === 0) return "unchanged";
    matched.checkUpdate(body);
    return (await matched.change(before, body)) ? "updated" : "unchanged";
  }

  /** What is wrong with a row, by its columns. */
  const asColumns = (refused: Refused): Refused =>
    Object.fromEntries(Object.entries(refused).map(([field, error]) => [columnOf[field] ?? field, error]));

  return {
    namesakes: namesakesAmong(matches),
    async load(from, to) {
      const asked = matches.slice(from, to).flatMap((one) => ("change" in one ? one.change.id : []));
      stored = new Map((asked.length > 0 ? await readRows(asked) : []).map((row) => [row.id, row]));
    },
    async write(index) {
      const one = matches[index] as Match<Identified>;
      if ("refuse" in one) return { [one.refuse === "id" ? "id" : column]: "errors.duplicate" };
      const row = rows.at(index);
      const clashing = clash?.(row, one);
      if (clashing) return clashing;
      const body = bodyOf(row);
      if ("refused" in body) return body.refused;
      const work = "create" in one ? create(row, body.values) : change(stored.get(one.change.id) as Row, body.values);
      const outcome = await work.catch(refusedBy);
      return typeof outcome === "string" ? outcome : asColumns(outcome);
    },
  };
}
