import { activeDefinitions } from "../custom-fields/definitions.ts";
import { joinTransaction } from "../database/connection/transaction.ts";
import { enqueue, queryAll } from "../database/query.ts";
import { withoutLoops } from "../database/without-loops.ts";
import { holds } from "../declare/permissions.ts";
import { forbidden, isApiError } from "../errors/errors.ts";
import { request } from "../request/context.ts";
import { organisationZone } from "../request/today.ts";
import { statement } from "../sql/statement.ts";
import { breathing } from "../threads/breath.ts";
import type { ExportEntity, ImpexEntity, Outcome, Refused } from "./entity.ts";
import { CUSTOM, customFields, type Field, isId } from "./field.ts";
import type { DateOrder } from "./files/dates.ts";
import type { HeaderChoice } from "./files/header.ts";
import type { Sheet } from "./files/sheet.ts";
import { type KnownColumns, makeUnknown, type UnknownWords, type WordsOfFile } from "./known-words.ts";
import { ignoredColumns, knownHeaders, type Rule, readMapping, takenAs } from "./mapping.ts";
import { ImportRefused } from "./refused.ts";
import { type ImportReport, type Namesake, shorten } from "./report.ts";
import { SheetRows } from "./sheet-rows.ts";
import { rowValues } from "./values.ts";

export interface ImportOptions {
  /** As entered (see `MAPPING_HELP`). */
  mappings?: readonly string[];
  /** Keys of the enabled switches. */
  switched?: ReadonlySet<string>;
  /** The order of day and month in all dates with slashes; without it the file decides. */
  dateOrder?: DateOrder | undefined;
  /** The client of new records whose rows name none. */
  companyId?: string | undefined;
  /** The fate of words that name nothing; without it, each is an error. */
  unknown?: UnknownWords | undefined;
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

/** All columns of a record kind in the running organisation. */
export async function allColumns({ fields, custom }: ExportEntity): Promise<Field[]> {
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
  const fields = await allColumns(entity);
  const rules = await rulesFor(fields, sheet, options);
  requireColumns(fields, rules, sheet);
  const grants = request().principal?.grants ?? [];
  const switched = (entity.switches ?? []).filter(({ key }) => options.switched?.has(key));
  const needed = [...(entity.needs?.(new Set(rules.map(({ field }) => field))) ?? []), ...switched.flatMap(({ needs }) => needs)];
  if (!needed.every((permission) => holds(grants, permission))) throw forbidden();
  request().runsLong = true;
  const forget = joinTransaction().mark();
  enqueue(SAVEPOINT);
  const report = await importRows(entity, new SheetRows({ fields, rules, sheet }, entity, organisationZone()), options);
  const isRefused = report.errors.length > 0;
  if (options.dryRun || isRefused) {
    enqueue(UNDO);
    await queryAll();
    forget();
  }
  return isRefused && !options.dryRun ? { ...report, created: 0, updated: 0, unchanged: 0, also_created: 0 } : report;
}

/** The source of each field. An `id` column without any id in our format belongs to another program and is ignored. */
async function rulesFor(fields: readonly Field[], { headers, rows }: Sheet, { mappings = [] }: ImportOptions): Promise<Rule[]> {
  const rules = readMapping(mappings, headers, fields);
  const ids = fields.filter(({ kind }) => kind === "id").map(({ key }) => key);
  const rule = rules.find(({ field }) => ids.includes(field));
  if (!rule) return rules;
  const hasIds = await rows.some(({ cells }) => Object.values(rowValues([rule], headers, cells)).some(isId));
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

/** @throws ImportRefused if nothing decides the order of day and month in a column, and the rows are to be written */
async function decideDates(
  rows: SheetRows,
  { dateOrder, dryRun }: ImportOptions,
): Promise<Pick<ImportReport, "taken_as" | "ambiguous">> {
  const { taken, ambiguous } = await rows.decideDates(dateOrder ?? null);
  const [first] = ambiguous;
  if (first && !dryRun)
    throw new ImportRefused(
      `'${first.example}' in the column '${first.column}' has two meanings: name the order of day and month, dmy or mdy.`,
      { date_order: "impex.errors.ambiguous_dates" },
    );
  return { taken_as: [...takenAs(rows.rules), ...taken], ambiguous: [...ambiguous] };
}

/** The words that columns of the file may have; empty if it has no such column. */
async function knownWords({ known }: ImpexEntity, rows: SheetRows, asked: Omit<WordsOfFile, "in">): Promise<KnownColumns> {
  if (!known || !rows.rules.some(({ field }) => known.columns.includes(field))) return {};
  return known.open({ ...asked, in: (column) => rows.wordsIn(column) });
}

/** Decides about the words that name nothing, for all later reads. @returns the number of records made of them */
async function decideWords(
  entity: ImpexEntity,
  rows: SheetRows,
  { unknown = "refuse", switched }: { unknown?: UnknownWords | undefined; switched: ReadonlySet<string> },
): Promise<number> {
  const known = await knownWords(entity, rows, { decides: unknown !== "refuse", switched });
  rows.splitWords(known);
  const made = unknown === "create" ? await makeUnknown(rows.values(), known) : 0;
  if (unknown !== "refuse") rows.leaveOut();
  return made;
}

async function importRows(
  entity: ImpexEntity,
  rows: SheetRows,
  { onProgress, switched = new Set(), ...options }: ImportOptions,
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
    ...(await decideDates(rows, options)),
    sheet: sheet.name ?? null,
    header_row: sheet.headerRow,
  };
  if (options.companyId !== undefined) rows.fileUnder(options.companyId);
  const made = await decideWords(entity, rows, { unknown: options.unknown, switched });
  const places: number[] = [];
  for await (const place of breathing(Array(sheet.rows.length).keys())) {
    const { values, refused, left, isSkipped = false } = rows.read(place);
    for (const one of rows.leftAt(place, left, isSkipped)) report.left_out.push(one);
    if (isSkipped) continue;
    if (Object.keys(refused).length > 0) report.errors.push(...rows.errorsOf(place, refused));
    else if (!entity.identity || rows.contents.add(values)) places.push(place);
    else report.unchanged += 1;
  }
  const opened = await withoutLoops(() => entity.open(rows.only(places), switched));
  for await (const index of breathing(await rows.onlyNamesakes(places, opened.namesakes ?? [])))
    report.namesakes.push(namesake(entity, rows, places[index] as number));
  const outcomes: Outcome[] = [];
  for await (const index of breathing(places.keys())) {
    if (index % LOADED === 0) await opened.load?.(index, Math.min(index + LOADED, places.length));
    outcomes.push(await outcomeOf(() => opened.write(index), rows.fields));
    if (index % AT_ONCE === AT_ONCE - 1) await queryAll();
    onProgress?.(index + 1, places.length);
  }
  const late = await withoutLoops(async () => opened.finish?.());
  for (const [index, refused] of late ?? []) outcomes[index] = refused;
  for await (const [index, outcome] of breathing(outcomes.entries())) {
    if (typeof outcome === "string") report[outcome] += 1;
    else report.errors.push(...rows.errorsOf(places[index] as number, outcome, opened.words));
  }
  for (const { field, as } of opened.taken ?? []) report.taken_as.push({ column: rows.headerOf(field) ?? field, as });
  report.also_created = made + (opened.alsoCreated?.() ?? 0);
  report.errors.sort((one, other) => one.row - other.row);
  return report;
}

/** A row with a name that others have as well. */
function namesake({ identity }: ImpexEntity, rows: SheetRows, place: number): Namesake {
  const { row, values } = rows.read(place);
  const [column = "_"] = identity?.names ?? [];
  return { row, column, value: shorten((identity?.names ?? []).flatMap((name) => values[name] ?? []).join(" ")) };
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
