import { activeDefinitions } from "../custom-fields/definitions.ts";
import { enqueue, queryAll } from "../database/query.ts";
import { statement } from "../database/statement.ts";
import type { Values } from "../database/write.ts";
import { forbidden, isApiError } from "../declare/errors.ts";
import { holds } from "../declare/permissions.ts";
import { request } from "../request/context.ts";
import type { ImpexEntity, Outcome, Refused } from "./entity.ts";
import { CUSTOM, customFields, type Field, readCell } from "./field.ts";
import type { Cell } from "./files/cell.ts";
import type { Sheet } from "./files/sheet.ts";
import { ignoredColumns, type Rule, readMapping } from "./mapping.ts";
import { ImportRefused } from "./refused.ts";
import { rowValues } from "./values.ts";

/** One thing that is wrong with one cell. `column` is the field (`_` for the row as a whole), `header` the column it was read from. */
export interface RowError {
  row: number;
  column: string;
  header: string | null;
  error: string;
}

/** What an import did, or would have done. */
export interface ImportReport {
  rows: number;
  created: number;
  updated: number;
  unchanged: number;
  errors: RowError[];
  ignored_columns: string[];
}

export interface ImportOptions {
  /** As typed (see `MAPPING_HELP`). */
  mappings?: readonly string[];
  /** Says what would happen and writes nothing. */
  dryRun: boolean;
  /** Is told how many rows are done, of how many. */
  tell?: (done: number, total: number) => void;
}

const SAVEPOINT = statement("savepoint import");
const UNDO = statement("rollback to savepoint import");
/**
 * How PostgreSQL joins while it looks up thousands of rows at once. It plans for the few it expects, the more so where a table has just
 * been filled and nobody has counted it; a loop over ten thousand in ten thousand then takes minutes.
 */
const LOOPS_OFF = statement("select set_config('enable_nestloop', 'off', true)");
const LOOPS_ON = statement("select set_config('enable_nestloop', 'on', true)");
/** Rows written before the next ones wait until those have reached PostgreSQL: bounds memory, and lets the process do other work. */
const AT_ONCE = 50;

/** All columns of a kind of record in the running organisation. */
export async function fieldsOf({ fields, custom }: ImpexEntity): Promise<Field[]> {
  return custom === undefined ? [...fields] : [...fields, ...customFields(await activeDefinitions(custom))];
}

/**
 * Imports a sheet in the running request's transaction: all of it, or nothing when a row is refused or the run is a rehearsal.
 * @throws ImportRefused when the file or the mapping cannot be used at all; 403 when the caller lacks what a column needs
 */
export async function importSheet(entity: ImpexEntity, sheet: Sheet, options: ImportOptions): Promise<ImportReport> {
  const fields = await fieldsOf(entity);
  const rules = readMapping(options.mappings ?? [], sheet.headers, fields);
  requireColumns(fields, rules, sheet);
  const grants = request().principal?.grants ?? [];
  const needed = entity.needs?.(new Set(rules.map(({ field }) => field))) ?? [];
  if (!needed.every((permission) => holds(grants, permission))) throw forbidden();
  enqueue(SAVEPOINT);
  const report = await importRows(entity, fields, rules, sheet, options);
  if (options.dryRun || report.errors.length > 0) {
    enqueue(UNDO);
    await queryAll();
  }
  return report;
}

function requireColumns(fields: readonly Field[], rules: readonly Rule[], { headers }: Sheet): void {
  const lacking = fields.find(({ key, required }) => required && !rules.some(({ field }) => field === key));
  if (!lacking) return;
  throw new ImportRefused(
    `No column gives '${lacking.key}': name one with --map ${lacking.key}=Header; the file has ${headers.filter(Boolean).join(", ")}.`,
    { [lacking.key]: "impex.errors.missing_column" },
  );
}

async function importRows(
  entity: ImpexEntity,
  fields: readonly Field[],
  rules: readonly Rule[],
  sheet: Sheet,
  { tell }: ImportOptions,
): Promise<ImportReport> {
  const report: ImportReport = {
    rows: sheet.rows.length,
    created: 0,
    updated: 0,
    unchanged: 0,
    errors: [],
    ignored_columns: ignoredColumns(rules, sheet.headers),
  };
  const headerOf = new Map(rules.map((rule) => [rule.field, "sources" in rule ? (rule.sources[0]?.header ?? null) : null]));
  const refuse = (row: number, refused: Refused) => {
    for (const [column, error] of Object.entries(refused))
      report.errors.push({ row, column, header: headerOf.get(column) ?? null, error });
  };
  const byKey = new Map(fields.map((field) => [field.key, field]));
  const readable = sheet.rows.flatMap(({ row, cells }) => {
    const { values, refused } = readRow(byKey, rowValues(rules, sheet.headers, cells));
    refuse(row, refused);
    return Object.keys(refused).length === 0 ? [{ row, values }] : [];
  });
  const rowAt = (index: number) => (readable[index] as { row: number }).row;
  const outcomes: Outcome[] = [];
  const opened = await withoutLoops(() => entity.open(readable.map(({ values }) => values)));
  for (const index of readable.keys()) {
    outcomes.push(await outcomeOf(() => opened.write(index), byKey));
    if (index % AT_ONCE === AT_ONCE - 1) await queryAll();
    tell?.(index + 1, readable.length);
  }
  const late = await withoutLoops(async () => opened.finish?.());
  for (const [index, refused] of late ?? []) outcomes[index] = refused;
  for (const [index, outcome] of outcomes.entries()) {
    if (typeof outcome === "string") report[outcome] += 1;
    else refuse(rowAt(index), outcome);
  }
  report.errors.sort((one, other) => one.row - other.row);
  return report;
}

async function withoutLoops<T>(work: () => Promise<T>): Promise<T> {
  enqueue(LOOPS_OFF);
  const result = await work();
  enqueue(LOOPS_ON);
  return result;
}

/** True for a text PostgreSQL can store: one it cannot would end the whole transaction. */
const isStorable = (value: unknown): boolean =>
  [value].flat().every((part) => typeof part !== "string" || (part.isWellFormed() && !part.includes("\u0000")));

/** The values of a row, custom ones under `custom`, and the columns that cannot be read. */
function readRow(
  fields: ReadonlyMap<string, Field>,
  cells: Readonly<Record<string, Cell>>,
): { values: Values; refused: Refused } {
  const refused: Refused = {};
  const values: [string, unknown][] = [];
  const custom: [string, unknown][] = [];
  for (const [key, cell] of Object.entries(cells)) {
    const read = readCell(fields.get(key) as Field, cell);
    if ("error" in read) refused[key] = read.error;
    else if (!isStorable(read.value)) refused[key] = "errors.validation";
    else if (key.startsWith(CUSTOM)) custom.push([key.slice(CUSTOM.length), read.value]);
    else values.push([key, read.value]);
  }
  // Entries, because a custom field may be called `constructor`.
  if (custom.length > 0) values.push(["custom", Object.fromEntries(custom)]);
  return { values: Object.fromEntries(values), refused };
}

async function outcomeOf(write: () => Promise<Outcome>, fields: ReadonlyMap<string, Field>): Promise<Outcome> {
  const outcome = await write().catch(refusedBy);
  return typeof outcome === "string" ? outcome : columnsOf(outcome, fields);
}

/**
 * What a refusal says about a row, by field.
 * @throws the error itself when it is none, and 403: what the caller may not do at all is no fault of a row
 */
export function refusedBy(error: unknown): Refused {
  if (!isApiError(error) || error.code === 403 || error.code >= 500) throw error;
  const { fields } = (error.data ?? {}) as { fields?: Refused };
  return fields ?? { _: error.message };
}

/** The same by column: custom fields are refused under their bare key. */
function columnsOf(refused: Refused, fields: ReadonlyMap<string, Field>): Refused {
  const isOwn = (key: string, error: string) =>
    fields.has(key) && !error.startsWith("customfields.") && (error !== "errors.required" || fields.get(key)?.required === true);
  const isCustom = (key: string, error: string) => fields.has(CUSTOM + key) && !isOwn(key, error);
  return Object.fromEntries(Object.entries(refused).map(([key, error]) => [isCustom(key, error) ? CUSTOM + key : key, error]));
}
