import { readFile } from "node:fs/promises";
import { MAPPING_HELP } from "../../operator/import/mapping.ts";
import { ImportRefused } from "../../operator/import/refused.ts";
import { entities, type ImportReport, runImport } from "../../operator/import/run.ts";
import { OperatorError } from "../../operator/organisations.ts";
import { type Command, ORG, type Outcome } from "../command.ts";

const MOST_SHOWN = 50;

async function readInput(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new OperatorError(`The file '${file}' cannot be read: ${(error as NodeJS.ErrnoException).code ?? error}.`);
  }
}

function outcomeOf(report: ImportReport): Outcome {
  const { rows, created, updated, unchanged, errors, ignored_columns: ignored, dry_run: dryRun } = report;
  const shown = errors.slice(0, MOST_SHOWN).map(({ row, column, header, error }) => {
    const from = header === null || header === column ? "" : ` (${header})`;
    return `row ${row}, column ${column}${from}: ${error}`;
  });
  const text = [
    ...shown,
    ...(errors.length > MOST_SHOWN ? [`and ${errors.length - MOST_SHOWN} errors more; --json lists all.`] : []),
    ...(ignored.length > 0 ? [`Columns that were ignored: ${ignored.join(", ")}.`] : []),
    `${rows} rows: ${created} created, ${updated} updated, ${unchanged} unchanged, ${errors.length} errors.`,
    ...(dryRun ? ["Dry run: nothing was written."] : []),
  ];
  if (errors.length === 0) return { json: report, text };
  return { json: report, text, refused: `${errors.length} errors in the file, so nothing was written.` };
}

/** One command per kind of record that can be imported. */
export const importCommands: readonly Command[] = Object.values(entities).map((entity) => ({
  name: `import ${entity.name}`,
  about: `Import ${entity.name} from a CSV file, all or nothing; safe to run twice`,
  arguments: [{ name: "file", about: "CSV in UTF-8 with , ; or tab; the first row names the columns" }],
  options: {
    org: ORG,
    map: { value: "FIELD=SOURCE,…", about: "Which column fills which field", multiple: true },
    "dry-run": { about: "Report what would happen and write nothing" },
  },
  details: [
    `Fields: ${entity.fields.join(", ")}.`,
    ...MAPPING_HELP,
    `Rows are matched on ${entity.identity.number}, then on ${entity.identity.name} where only one record and one row carry it.`,
  ],
  ownTransactions: true,
  async run(call) {
    const organisation = await call.organisation();
    const file = await readInput(call.need("file"));
    const options = { mappings: call.all("map"), dryRun: call.flag("dry-run") };
    try {
      return outcomeOf(await call.withPool(() => runImport(entity, organisation, file, options)));
    } catch (error) {
      if (error instanceof ImportRefused) throw new OperatorError(error.message);
      throw error;
    }
  },
}));
