import type { Organisation } from "../../core/context.ts";
import { isApiError } from "../../core/errors.ts";
import type { Check } from "../../core/schema.ts";
import { systemRequest } from "../../core/system.ts";
import type { Values } from "../../core/write.ts";
import { inTenancy } from "../../mixins/tenancy.ts";
import { companies } from "./companies.ts";
import { readCsv, type Sheet } from "./csv.ts";
import type { ImportEntity } from "./entity.ts";
import { ignoredColumns, type Rule, readMapping } from "./mapping.ts";
import type { Match } from "./matching.ts";
import { ImportRefused } from "./refused.ts";
import { rowValues } from "./values.ts";

/** What can be imported. */
export const entities: Readonly<Record<string, ImportEntity>> = { companies };

/** One thing that is wrong with one cell. `column` is the field (`_` for the row as a whole), `header` the column it was read from. */
export interface RowError {
  row: number;
  column: string;
  header: string | null;
  error: string;
}

/** What an import did, or would have done. */
export interface ImportReport {
  entity: string;
  organisation: string;
  dry_run: boolean;
  rows: number;
  created: number;
  updated: number;
  unchanged: number;
  errors: RowError[];
  ignored_columns: string[];
}

/** Thrown to undo the transaction of an import that was only tried, or that has errors. */
class Undone extends Error {
  readonly report: ImportReport;
  constructor(report: ImportReport) {
    super("the import is undone");
    this.report = report;
  }
}

/**
 * Imports a file into an organisation as the system, in one transaction: all of it, or nothing when any row is refused.
 * @param mappings as typed (see `MAPPING_HELP`)
 * @throws ImportRefused when the file or the mapping cannot be used at all
 */
export async function runImport(
  entity: ImportEntity,
  organisation: Organisation,
  file: Uint8Array,
  { mappings = [], dryRun = false }: { mappings?: readonly string[]; dryRun?: boolean } = {},
): Promise<ImportReport> {
  const sheet = readCsv(file);
  const rules = readMapping(mappings, sheet.headers, entity.fields);
  const lacking = entity.required.find((field) => !rules.some((rule) => rule.field === field));
  if (lacking)
    throw new ImportRefused(
      `No column gives '${lacking}': name one with --map ${lacking}=Header; the file has ${sheet.headers.filter(Boolean).join(", ")}.`,
    );
  try {
    return await inTenancy(
      () => systemRequest(`import.${entity.name}`, organisation, "write"),
      async () => {
        const report = await importRows(entity, organisation, sheet, rules);
        if (dryRun || report.errors.length > 0) throw new Undone({ ...report, dry_run: dryRun });
        return report;
      },
    );
  } catch (error) {
    if (error instanceof Undone) return error.report;
    throw error;
  }
}

async function importRows(
  entity: ImportEntity,
  organisation: Organisation,
  sheet: Sheet,
  rules: readonly Rule[],
): Promise<ImportReport> {
  const report: ImportReport = {
    entity: entity.name,
    organisation: organisation.slug,
    dry_run: false,
    rows: sheet.rows.length,
    created: 0,
    updated: 0,
    unchanged: 0,
    errors: [],
    ignored_columns: ignoredColumns(rules, sheet.headers),
  };
  const headerOf = new Map(rules.map((rule) => [rule.field, "sources" in rule ? (rule.sources[0]?.header ?? null) : null]));
  const refuse = (row: number, fields: Record<string, string>) => {
    for (const [column, error] of Object.entries(fields))
      report.errors.push({ row, column, header: headerOf.get(column) ?? null, error });
  };
  const rows = sheet.rows.map(({ row, cells }) => ({ row, values: rowValues(rules, sheet.headers, cells) as Values }));
  // A NUL reaches no column of PostgreSQL, and one that arrives there ends the whole transaction.
  const storable = rows.filter(({ row, values }) => {
    const bad = Object.keys(values).filter((field) => (values[field] as string).includes("\u0000"));
    refuse(row, Object.fromEntries(bad.map((field) => [field, "errors.validation"])));
    return bad.length === 0;
  });
  const matches = await entity.match(storable.map(({ values }) => values));
  for (const [index, { row, values }] of storable.entries()) {
    const outcome = await importRow(entity, matches[index] as Match<never>, values);
    if (typeof outcome === "string") report[outcome] += 1;
    else refuse(row, outcome);
  }
  report.errors.sort((one, other) => one.row - other.row);
  return report;
}

/** Writes one row, or gives what is wrong with it by field. */
async function importRow(
  entity: ImportEntity,
  match: Match<never>,
  values: Values,
): Promise<"created" | "updated" | "unchanged" | Record<string, string>> {
  const checked = (check: Check): Values => {
    const body = { ...values };
    check(body);
    return body;
  };
  try {
    if ("refuse" in match) return { [entity.identity[match.refuse]]: "errors.duplicate" };
    if ("change" in match) return (await entity.change(match.change, checked(entity.checkUpdate))) ? "updated" : "unchanged";
    await entity.create(checked(entity.checkCreate));
    return "created";
  } catch (error) {
    if (!isApiError(error) || error.type === "unavailable") throw error;
    const { fields } = (error.data ?? {}) as { fields?: Record<string, string> };
    return fields ?? { _: error.message };
  }
}
