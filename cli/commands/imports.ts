import { readFile } from "node:fs/promises";
import type { ImpexEntity } from "../../core/impex/entity.ts";
import { MAPPING_HELP } from "../../core/impex/mapping.ts";
import { ImportRefused } from "../../core/impex/refused.ts";
import { type OperatorReport, runImport } from "../../operator/import/run.ts";
import { OperatorError } from "../../operator/organisations.ts";
import { type Command, ORG, type Outcome } from "../command.ts";
import { progressOn } from "../progress.ts";

const MOST_SHOWN = 50;

async function readInput(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new OperatorError(`The file '${file}' cannot be read: ${(error as NodeJS.ErrnoException).code ?? error}.`);
  }
}

function outcomeOf(report: OperatorReport): Outcome {
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
export const importCommands = (entities: readonly ImpexEntity[]): Command[] =>
  entities.map((entity) => ({
    name: `import ${entity.plural}`,
    about: `Import ${entity.plural} from CSV or a workbook, all or nothing; safe to run twice`,
    arguments: [{ name: "file", about: "CSV (, ; or tab; UTF-8 or Windows-1252) or .xlsx; the first row names the columns" }],
    options: {
      org: ORG,
      map: { value: "FIELD=SOURCE,…", about: "Which column fills which field", multiple: true },
      "dry-run": { about: "Report what would happen and write nothing" },
    },
    details: [
      `Fields: ${entity.fields.map(({ key }) => key).join(", ")}, and custom.KEY for each custom field.`,
      ...MAPPING_HELP,
      entity.matching,
    ],
    ownTransactions: true,
    async run(call) {
      const organisation = await call.organisation();
      const file = await readInput(call.need("file"));
      const progress = await progressOn(call.terminal, `Importing ${entity.plural}`);
      const options = { mappings: call.all("map"), dryRun: call.flag("dry-run"), tell: progress.tell };
      try {
        const { report, ignoredSheets } = await call.withPool(() => runImport(entity, organisation, file, options));
        if (ignoredSheets.length > 0) call.note(`Only the first sheet was read, not ${ignoredSheets.join(", ")}.`);
        return outcomeOf(report);
      } catch (error) {
        if (error instanceof ImportRefused) throw new OperatorError(error.message);
        throw error;
      } finally {
        progress.end();
      }
    },
  }));
