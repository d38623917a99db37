import { activeDefinitions } from "../../../core/custom-fields/definitions.ts";
import type { CustomEntityType, CustomValues } from "../../../core/custom-fields/values.ts";
import type { Values } from "../../../core/database/write.ts";
import { mergedCustom, newValues } from "../../../core/impex/changes.ts";
import type { ImportRows, Opened, Outcome, Refused } from "../../../core/impex/entity.ts";
import { type Identified, rememberedId } from "../../../core/impex/identity.ts";
import { refusedBy } from "../../../core/impex/import.ts";
import { type Match, namesakesAmong } from "../../../core/impex/matching.ts";

/** The import of one record kind after its rows are matched. */
export interface Matched<Row> {
  entity: CustomEntityType;
  rows: ImportRows;
  matches: readonly Match<Identified>[];
  /** Ids in the file that exist but are hidden from the caller. */
  hidden: { has(id: string): boolean };
  /** The column of a match other than by id. */
  column: string;
  /** Maps body fields to file columns where they differ. */
  columnOf: Readonly<Record<string, string>>;
  /** The stored rows that the file may change. */
  readRows(ids: readonly string[]): Promise<Row[]>;
  /** The body values of a row, or the columns with unresolved references. @param isNew whether it becomes a record */
  bodyOf(row: Values, isNew: boolean): { values: Values } | { refused: Refused };
  /** Refuses a row because of existing records. */
  clash?(row: Values, match: Match<Identified>): Refused | undefined;
  /** The body of a new record, with values beyond the row's own, or their errors. */
  made?(row: Values, values: Values): { values: Values } | { refused: Refused };
  checkCreate(body: Values): void;
  checkUpdate(body: Values): void;
  create(body: Values, id: string | undefined): Promise<unknown>;
  /** @returns whether anything changed */
  change(before: Row, body: Values): Promise<boolean>;
  /** The stored row in the shape of a body. */
  shown?(before: Row): Values;
}

/** Writes matched rows by the rules of the record's create and update actions. */
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

  /** Field errors by file column. */
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
      const body = bodyOf(row, "create" in one);
      if ("refused" in body) return body.refused;
      const work = "create" in one ? create(row, body.values) : change(stored.get(one.change.id) as Row, body.values);
      const outcome = await work.catch(refusedBy);
      return typeof outcome === "string" ? outcome : asColumns(outcome);
    },
  };
}
