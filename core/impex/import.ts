import { activeDefinitions } from "../custom-fields/definitions.ts";
import { enqueue, queryAll } from "../database/query.ts";
import { statement } from "../database/statement.ts";
import { withoutLoops } from "../database/without-loops.ts";
import type { Values } from "../database/write.ts";
import { forbidden, isApiError } from "../declare/errors.ts";
import { holds } from "../declare/permissions.ts";
import { request } from "../request/context.ts";
import type { ExportEntity, ImpexEntity, ImportRows, Opened, Outcome, Refused } from "./entity.ts";
import { CUSTOM, customFields, type Field, isId, readCell, wordsFor } from "./field.ts";
import { type Cell, cellText } from "./files/cell.ts";
import type { HeaderChoice } from "./files/header.ts";
import type { Sheet } from "./files/sheet.ts";
import { headersOfRule, ignoredColumns, knownHeaders, type Rule, readMapping } from "./mapping.ts";
import { ImportRefused } from "./refused.ts";
import { RowContents } from "./row-identity.ts";
import { leftCells, rowValues } from "./values.ts";

/** An error in one cell. `column` is the field (`_` for the row as a whole), `header` its column in the file. */
export interface RowError {
  row: number;
  column: string;
  header: string | null;
  error: string;
  /** The cell's content, shortened for display. */
  value: string | null;
  /** Accepted words, or examples; empty if any text is allowed. */
  words: readonly string[];
}

/** A value without a field of its own, from the same cell or another column of its kind, such as a second telephone number. */
export interface LeftOut {
  row: number;
  column: string;
  header: string | null;
  value: string;
}

/** A row that became a record although others have the same name, and no key distinguishes them. */
export interface Namesake {
  row: number;
  column: string;
  value: string;
}

/** The result of an import or of its dry run. */
export interface ImportReport {
  rows: number;
  created: number;
  updated: number;
  unchanged: number;
  /** Number of records of other kinds created for the rows: companies of contacts, contact persons of companies. */
  also_created: number;
  errors: RowError[];
  left_out: LeftOut[];
  namesakes: Namesake[];
  ignored_columns: string[];
  /** The location of the column headers. */
  sheet: string | null;
  header_row: number;
}

export interface ImportOptions {
  /** As entered (see `MAPPING_HELP`). */
  mappings?: readonly string[];
  /** Keys of the enabled switches. */
  switched?: ReadonlySet<string>;
  /** Reports the result without writing anything. */
  dryRun: boolean;
  /** Called with the finished rows and their total. */
  onProgress?: (done: number, total: number) => void;
}

const SAVEPOINT = statement("savepoint import");
const UNDO = statement("rollback to savepoint import");
/** Rows written before waiting for PostgreSQL: this bounds memory and lets the process do other work. */
const AT_ONCE = 50;
/** Rows whose records are read at a time. */
const LOADED = 500;
/** Characters of a value in a report. */
const SHOWN = 100;

/** All columns of a record kind in the running organisation. */
export async function fieldsOf({ fields, custom }: ExportEntity): Promise<Field[]> {
  return custom === undefined ? [...fields] : [...fields, ...customFields(await activeDefinitions(custom))];
}

/** Finds a file's header row without the organisation's custom columns, which are read later. */
export const headerChoice = (
  { fields }: ImpexEntity,
  { mappings = [], sheet, row }: { mappings?: readonly string[]; sheet?: string | undefined; row?: number | undefined },
): HeaderChoice => ({ known: knownHeaders(mappings, fields), sheet, row });

/**
 * Imports a sheet in the running request's transaction: all rows, or none if a row is rejected or it is a dry run.
 * @throws ImportRefused if the file or the mapping is unusable; 403 if the caller lacks a permission for a column or switch
 */
export async function importSheet(entity: ImpexEntity, sheet: Sheet, options: ImportOptions): Promise<ImportReport> {
  const fields = await fieldsOf(entity);
  const rules = rulesFor(fields, sheet, options);
  requireColumns(fields, rules, sheet);
  const grants = request().principal?.grants ?? [];
  const switched = (entity.switches ?? []).filter(({ key }) => options.switched?.has(key));
  const needed = [...(entity.needs?.(new Set(rules.map(({ field }) => field))) ?? []), ...switched.flatMap(({ needs }) => needs)];
  if (!needed.every((permission) => holds(grants, permission))) throw forbidden();
  enqueue(SAVEPOINT);
  const report = await importRows(entity, new SheetRows(fields, rules, sheet, entity), options);
  const isRefused = report.errors.length > 0;
  if (options.dryRun || isRefused) {
    enqueue(UNDO);
    await queryAll();
  }
  return isRefused && !options.dryRun ? { ...report, created: 0, updated: 0, unchanged: 0, also_created: 0 } : report;
}

/** The source of each field. An `id` column without any id in our format belongs to another program and is ignored. */
function rulesFor(fields: readonly Field[], { headers, rows }: Sheet, { mappings = [] }: ImportOptions): Rule[] {
  const rules = readMapping(mappings, headers, fields);
  const ids = fields.filter(({ kind }) => kind === "id").map(({ key }) => key);
  const rule = rules.find(({ field }) => ids.includes(field));
  if (!rule) return rules;
  const hasIds = rows.some(({ cells }) => Object.values(rowValues([rule], headers, cells)).some(isId));
  return hasIds ? rules : rules.filter((one) => one !== rule);
}

function requireColumns(fields: readonly Field[], rules: readonly Rule[], { headers }: Sheet): void {
  const lacking = fields.find(({ key, required }) => required && !rules.some(({ field }) => field === key));
  if (!lacking) return;
  throw new ImportRefused(
    `No column gives '${lacking.key}': name one with --map ${lacking.key}=Header; the file has ${headers.filter(Boolean).join(", ")}.`,
    { [lacking.key]: "impex.errors.missing_column" },
  );
}

/** The rows of a sheet as values by field, each parsed when it is requested. */
class SheetRows {
  readonly fields: ReadonlyMap<string, Field>;
  readonly rules: readonly Rule[];
  readonly sheet: Sheet;
  readonly #headerOf: ReadonlyMap<string, string | null>;
  /** Detects duplicate rows and derives ids for rows without a key; only namesakes keep such an id. */
  readonly contents = new RowContents();
  /** Key columns: one non-blank value distinguishes a row from its namesakes. Undefined if rows need no distinction. */
  readonly #keys: readonly string[] | undefined;
  readonly #arrange: ImpexEntity["arrange"];
  #isNamesake: (index: number) => boolean = () => true;

  constructor(fields: readonly Field[], rules: readonly Rule[], sheet: Sheet, { identity, arrange }: ImpexEntity) {
    this.fields = new Map(fields.map((field) => [field.key, field]));
    this.rules = rules;
    this.sheet = sheet;
    this.#keys = identity && ["id", ...identity.keys];
    this.#arrange = arrange;
    this.#headerOf = new Map(rules.map((rule) => [rule.field, headersOfRule(rule)[0] ?? null]));
  }

  headerOf(field: string): string | null {
    return this.#headerOf.get(field) ?? null;
  }

  cellsAt(place: number): { row: number; cells: Record<string, Cell> } {
    const { row, cells } = this.sheet.rows.at(place);
    return { row, cells: rowValues(this.rules, this.sheet.headers, cells) };
  }

  read(place: number): ReadRow & { row: number } {
    const { row, cells } = this.cellsAt(place);
    const read = readRow(this.fields, cells);
    const arranged = this.#arrange?.(read.values);
    if (!arranged) return { row, ...read };
    const { values, left, skipped } = arranged;
    // A skipped row reports no errors.
    if (skipped) return { row, ...read, values, refused: {}, left: [skipped], isSkipped: true };
    return { row, ...read, values, left: [...read.left, ...left] };
  }

  /** The rows at these positions. */
  only(places: readonly number[]): ImportRows {
    let last = { index: -1, values: {} as Values };
    // The write of a row reads it several times in succession, so cache the last one.
    const at = (index: number) => {
      if (last.index !== index) last = { index, values: this.#identified(index, this.read(places[index] as number).values) };
      return last.values;
    };
    return {
      length: places.length,
      at,
      *[Symbol.iterator]() {
        for (const index of places.keys()) yield at(index);
      },
    };
  }

  #isKeyless(values: Values): boolean {
    return this.#keys?.every((key) => values[key] === undefined) === true;
  }

  /** Adds the id derived from its content to a row without another key. */
  #identified(index: number, values: Values): Values {
    return this.#isKeyless(values) && this.#isNamesake(index) ? { ...values, id: this.contents.idAt(index) } : values;
  }

  /** Restricts derived ids to these rows, because all others have unique names. @returns those of them without a key */
  onlyNamesakes(places: readonly number[], namesakes: readonly number[]): number[] {
    const keyless = namesakes.filter((index) => this.#isKeyless(this.read(places[index] as number).values));
    const kept = new Set(keyless);
    this.#isNamesake = (index) => kept.has(index);
    return keyless;
  }

  /** Values of a row that no field takes: parts of its cells, and other columns of the same kind; or the row as a whole. */
  leftAt(place: number, left: ReadRow["left"], isWhole: boolean): LeftOut[] {
    const { row, cells } = this.sheet.rows.at(place);
    const parts = left.map(([column, value]) => ({ row, column, header: this.headerOf(column), value: shortened(value) }));
    if (isWhole) return parts;
    return [
      ...parts,
      ...leftCells(this.rules, this.sheet.headers, cells).map((one) => ({ row, ...one, value: shortened(one.value) })),
    ];
  }

  /** The errors of a row, by cell. */
  errorsOf(place: number, refused: Refused, words: Opened["words"] = {}): RowError[] {
    const { row, cells } = this.cellsAt(place);
    return Object.entries(refused).map(([column, error]) => {
      const [cell, field] = [cells[column], this.fields.get(column)];
      const value = cell === undefined ? null : shortened(cellText(cell));
      return { row, column, header: this.headerOf(column), error, value, words: words[column] ?? (field ? wordsFor(field) : []) };
    });
  }
}

const shortened = (text: string): string => (text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);

async function importRows(
  entity: ImpexEntity,
  rows: SheetRows,
  { onProgress, switched = new Set() }: ImportOptions,
): Promise<ImportReport> {
  const { sheet } = rows;
  const report: ImportReport = {
    rows: sheet.rows.length,
    created: 0,
    updated: 0,
    unchanged: 0,
    also_created: 0,
    errors: [],
    left_out: [],
    namesakes: [],
    ignored_columns: ignoredColumns(rows.rules, sheet.headers),
    sheet: sheet.name ?? null,
    header_row: sheet.headerRow,
  };
  const places: number[] = [];
  for (let place = 0; place < sheet.rows.length; place++) {
    const { values, refused, left, isSkipped = false } = rows.read(place);
    for (const one of rows.leftAt(place, left, isSkipped)) report.left_out.push(one);
    if (isSkipped) continue;
    if (Object.keys(refused).length > 0) report.errors.push(...rows.errorsOf(place, refused));
    else if (!entity.identity || rows.contents.add(values)) places.push(place);
    else report.unchanged += 1;
  }
  const opened = await withoutLoops(() => entity.open(rows.only(places), switched));
  for (const index of rows.onlyNamesakes(places, opened.namesakes ?? []))
    report.namesakes.push(namesake(entity, rows, places[index] as number));
  const outcomes: Outcome[] = [];
  for (let index = 0; index < places.length; index++) {
    if (index % LOADED === 0) await opened.load?.(index, Math.min(index + LOADED, places.length));
    outcomes.push(await outcomeOf(() => opened.write(index), rows.fields));
    if (index % AT_ONCE === AT_ONCE - 1) await queryAll();
    onProgress?.(index + 1, places.length);
  }
  const late = await withoutLoops(async () => opened.finish?.());
  for (const [index, refused] of late ?? []) outcomes[index] = refused;
  for (const [index, outcome] of outcomes.entries()) {
    if (typeof outcome === "string") report[outcome] += 1;
    else report.errors.push(...rows.errorsOf(places[index] as number, outcome, opened.words));
  }
  report.also_created = opened.alsoCreated?.() ?? 0;
  report.errors.sort((one, other) => one.row - other.row);
  return report;
}

/** A row with a name that others have as well. */
function namesake({ identity }: ImpexEntity, rows: SheetRows, place: number): Namesake {
  const { row, values } = rows.read(place);
  const [column = "_"] = identity?.names ?? [];
  return { row, column, value: shortened((identity?.names ?? []).flatMap((name) => values[name] ?? []).join(" ")) };
}

/** Whether PostgreSQL can store a text; one that it cannot would abort the whole transaction. */
const isStorable = (value: unknown): boolean =>
  [value].flat().every((part) => typeof part !== "string" || (part.isWellFormed() && !part.includes("\u0000")));

/** A row by field: custom values under `custom`, unreadable columns, and leftovers of the others. */
interface ReadRow {
  values: Values;
  refused: Refused;
  left: readonly (readonly [column: string, value: string])[];
  /** The row is about another kind of record. */
  isSkipped?: true;
}

function readRow(fields: ReadonlyMap<string, Field>, cells: Readonly<Record<string, Cell>>): ReadRow {
  const refused: Refused = {};
  const left: [string, string][] = [];
  const values: [string, unknown][] = [];
  const custom: [string, unknown][] = [];
  for (const [key, cell] of Object.entries(cells)) {
    const read = readCell(fields.get(key) as Field, cell);
    if ("error" in read) refused[key] = read.error;
    else if (!isStorable(read.value)) refused[key] = "errors.validation";
    else if (read.value === undefined) continue;
    else if (key.startsWith(CUSTOM)) custom.push([key.slice(CUSTOM.length), read.value]);
    else values.push([key, read.value]);
    for (const value of ("left" in read && read.left) || []) left.push([key, value]);
  }
  // Entries, because a custom field may be called `constructor`.
  if (custom.length > 0) values.push(["custom", Object.fromEntries(custom)]);
  return { values: Object.fromEntries(values), refused, left };
}

async function outcomeOf(write: () => Promise<Outcome>, fields: ReadonlyMap<string, Field>): Promise<Outcome> {
  const outcome = await write().catch(refusedBy);
  return typeof outcome === "string" ? outcome : columnsOf(outcome, fields);
}

/**
 * The errors of a rejected row, by field.
 * @throws the error itself if it is not a rejection, and 403: a missing permission is not the row's fault
 */
export function refusedBy(error: unknown): Refused {
  if (!isApiError(error) || error.code === 403 || error.code >= 500) throw error;
  const { fields } = (error.data ?? {}) as { fields?: Refused };
  return fields ?? { _: error.message };
}

/** Renames errors to columns: the write reports custom fields under their bare key. */
function columnsOf(refused: Refused, fields: ReadonlyMap<string, Field>): Refused {
  const isOwn = (key: string, error: string) =>
    fields.has(key) && !error.startsWith("customfields.") && (error !== "errors.required" || fields.get(key)?.required === true);
  const isCustom = (key: string, error: string) => fields.has(CUSTOM + key) && !isOwn(key, error);
  return Object.fromEntries(Object.entries(refused).map(([key, error]) => [isCustom(key, error) ? CUSTOM + key : key, error]));
}
