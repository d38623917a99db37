import { access, constants } from "node:fs/promises";
import type { ImpexEntity } from "../../core/impex/entity.ts";
import type { DateOrder } from "../../core/impex/files/dates.ts";
import type { UnknownWords } from "../../core/impex/known-words.ts";
import { MAPPING_HELP } from "../../core/impex/mapping.ts";
import { ImportRefused } from "../../core/impex/refused.ts";
import type { RowError } from "../../core/impex/report.ts";
import { type OperatorReport, runImport } from "../../operator/import/run.ts";
import { OperatorError } from "../../operator/organisations.ts";
import { type Command, type CommandInput, type Option, ORG, type Outcome } from "../command.ts";
import { progressOn } from "../progress.ts";

const MOST_SHOWN = 50;
/** How many of the accepted words an error lists. */
const MOST_WORDS = 12;

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`;

/** @throws OperatorError if the file does not exist or cannot be read */
async function requireReadable(file: string): Promise<void> {
  const failed = await access(file, constants.R_OK).catch((error: NodeJS.ErrnoException) => error);
  if (failed) throw new OperatorError(`The file '${file}' cannot be read: ${failed.code ?? failed}.`);
}

/** @throws OperatorError unless it is a row number */
function headerRowOf(call: CommandInput): number | undefined {
  const given = call.text("header-row");
  if (given === undefined) return undefined;
  if (!/^[1-9]\d{0,6}$/.test(given)) throw new OperatorError("--header-row must be a row number, from 1.");
  return Number(given);
}

/** The value of an option that has few. @throws OperatorError for another one */
function oneOf<Word extends string>(call: CommandInput, option: string, words: readonly Word[]): Word | undefined {
  const given = call.text(option);
  const word = words.find((one) => one === given);
  if (given === undefined || word !== undefined) return word;
  throw new OperatorError(`--${option} must be ${words.slice(0, -1).join(", ")} or ${words.at(-1)}.`);
}

/** Describes a cell's error in one line. */
function errorLine({ row, column, header, error, value, words }: RowError): string {
  const from = header === null || header === column ? "" : ` (${header})`;
  const what = value === null ? "" : `, '${value.replace(/\s+/g, " ")}'`;
  const more = words.length > MOST_WORDS ? ", …" : "";
  const known = words.length === 0 ? "" : `; understood: ${words.slice(0, MOST_WORDS).join(", ")}${more}`;
  return `row ${row}, column ${column}${from}: ${error}${what}${known}`;
}

/** Truncates a list of lines to what a person reads. */
const shortened = (lines: readonly string[], rest: (count: number) => string): string[] =>
  lines.length > MOST_SHOWN ? [...lines.slice(0, MOST_SHOWN), rest(lines.length - MOST_SHOWN)] : [...lines];

function outcomeOf(report: OperatorReport): Outcome {
  const { rows, created, updated, unchanged, errors, left_out: left, ignored_columns: ignored, dry_run: dryRun } = report;
  const also = report.also_created > 0 ? `, ${report.also_created} related records created` : "";
  const text = [
    ...shortened(errors.map(errorLine), (more) => `and ${counted(more, "error")} more; --json lists all.`),
    ...shortened(
      left.map(({ row, column, value }) => `row ${row}, column ${column}: left out '${value}'.`),
      (more) => `and ${more} more; --json lists all.`,
    ),
    ...shortened(
      report.namesakes.map(
        ({ row, column, value }) =>
          `row ${row}, column ${column}: '${value}' is also the name of other records; imported as a new record.`,
      ),
      (more) => `and ${counted(more, "namesake")} more; --json lists all.`,
    ),
    ...report.taken_as.map(({ column, as }) => `column ${column}: taken as ${as}.`),
    ...report.ambiguous.map(
      ({ column, example, as }) =>
        `column ${column}: '${example}' was read as ${as}; name the order with --date-order dmy or mdy.`,
    ),
    ...(ignored.length > 0 ? [`Columns that were ignored: ${ignored.join(", ")}.`] : []),
    `${counted(rows, "row")}: ${created} created, ${updated} updated, ${unchanged} unchanged, ${counted(errors.length, "error")}${also}.`,
    ...(dryRun ? ["Dry run: no changes were written."] : []),
  ];
  if (errors.length === 0) return { json: report, text };
  return { json: report, text, refused: `${counted(errors.length, "error")} in the file: no changes were written.` };
}

const dashed = (key: string): string => key.replaceAll("_", "-");
const switchesOf = ({ switches = [] }: ImpexEntity): Record<string, Option> =>
  Object.fromEntries(switches.map(({ key, about }) => [dashed(key), { about }]));

/** One command per kind of record that can be imported. */
export const importCommands = (entities: readonly ImpexEntity[]): Command[] =>
  entities.map((entity) => ({
    name: `import ${entity.plural}`,
    about: `Import ${entity.plural} from CSV or a workbook, all or nothing; safe to repeat`,
    arguments: [{ name: "file", about: "CSV (, ; or tab; UTF-8, UTF-16 or Windows-1252) or .xlsx" }],
    options: {
      org: ORG,
      map: { value: "FIELD=SOURCE,…", about: "Which column fills which field", multiple: true },
      sheet: { value: "NAME", about: "The sheet of a workbook, by name or number; else the first with known columns" },
      "header-row": { value: "N", about: "The row with the column names; by default the row with the most known columns" },
      "date-order": { value: "dmy|mdy", about: "Which part of dates such as 03/04/2026 is the day; by default the file decides" },
      unknown: {
        value: "create|leave_out|refuse",
        about: "Labels, types, statuses, members and providers that do not exist: made, left out, or an error (the default)",
      },
      ...(entity.filesUnder && { company: { value: "ID", about: "The client of new records whose rows name none" } }),
      ...switchesOf(entity),
      "dry-run": { about: "Report what would happen without writing" },
    },
    details: [
      `Fields: ${entity.fields.map(({ key }) => key).join(", ")}, and custom.KEY for each custom field.`,
      ...MAPPING_HELP,
      entity.matching,
    ],
    ownTransactions: true,
    async run(call) {
      const organisation = await call.organisation();
      const file = call.need("file");
      await requireReadable(file);
      const progress = await progressOn(call.terminal, `Importing ${entity.plural}`);
      const switched = new Set((entity.switches ?? []).flatMap(({ key }) => (call.flag(dashed(key)) ? key : [])));
      const options = {
        mappings: call.all("map"),
        sheet: call.text("sheet"),
        headerRow: headerRowOf(call),
        dateOrder: oneOf<DateOrder>(call, "date-order", ["dmy", "mdy"]),
        unknown: oneOf<UnknownWords>(call, "unknown", ["create", "leave_out", "refuse"]),
        companyId: entity.filesUnder ? call.text("company") : undefined,
        switched,
        dryRun: call.flag("dry-run"),
        onProgress: progress.show,
      };
      try {
        const { report, ignoredSheets } = await call.withPool(() => runImport(entity, organisation, file, options));
        if (ignoredSheets.length > 0) call.note(`Only the sheet '${report.sheet}' was read, not ${ignoredSheets.join(", ")}.`);
        if (report.header_row > 1) call.note(`Row ${report.header_row} names the columns.`);
        return outcomeOf(report);
      } catch (error) {
        if (error instanceof ImportRefused) throw new OperatorError(error.message);
        throw error;
      } finally {
        progress.end();
      }
    },
  }));
