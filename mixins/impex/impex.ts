import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { ServiceSchema } from "moleculer";
import { type Action, action } from "../../core/declare/action.ts";
import { download } from "../../core/declare/makers/download.ts";
import { madeFile, stagedFile } from "../../core/files/file-answer.ts";
import { SHEET_TYPES, TABLE_TYPES, VCARD_TYPE } from "../../core/files/file-types.ts";
import { stageBytes } from "../../core/files/staged-uploads.ts";
import { openStored } from "../../core/files/storage.ts";
import { type Upload, upload } from "../../core/files/upload.ts";
import { Accepted } from "../../core/http/accepted.ts";
import type { ExportEntity, ImpexEntity } from "../../core/impex/entity.ts";
import type { DateOrder } from "../../core/impex/files/dates.ts";
import { readSheet } from "../../core/impex/files/read-sheet.ts";
import { CALL_LIMITS, ROWS_AT_ONCE, type Sheet } from "../../core/impex/files/sheet.ts";
import { headerChoice, importSheet } from "../../core/impex/import.ts";
import type { UnknownWords } from "../../core/impex/known-words.ts";
import { ImportRefused } from "../../core/impex/refused.ts";
import { namedValues } from "../../core/naming/named-values.ts";
import { prepared } from "../../core/request/context.ts";
import {
  choice,
  flag,
  input,
  instant,
  integer,
  multiline,
  optional,
  type TProperties,
  Type,
  uuid,
} from "../../core/schema/schema.ts";
import { service } from "../resource.ts";
import { inOwnTransaction } from "../tenancy.ts";
import { ImportAnswer, ImportStarted } from "./import-answers.ts";
import { importJob, startImport } from "./import-jobs.ts";

const format = () => optional(choice(namedValues("SheetFormat", ["csv", "xlsx"]), { default: "csv" }));

const ImportBody = () =>
  input(
    "ImportFile",
    { file: upload([...TABLE_TYPES, "text/plain", VCARD_TYPE]) },
    { file: "The spreadsheet, as CSV or .xlsx; contacts also as cards (.vcf)" },
  );
/** Options of an import in addition to the file, including the switches of the entity. */
const importQuery = ({ switches = [], filesUnder }: ImpexEntity): TProperties => ({
  dry_run: optional(flag(true)),
  map: optional(multiline(10_000, { description: "Which column fills which field: FIELD=SOURCE, several separated by commas" })),
  sheet: optional(
    multiline(255, { description: "The sheet of a workbook, by name or number; else the first with known columns" }),
  ),
  header_row: optional(
    integer(1, 1_048_576, { description: "The row with the column names; by default the row with the most known columns" }),
  ),
  date_order: optional(
    choice(namedValues("DateOrder", ["dmy", "mdy"]), {
      description:
        "Which part of dates such as 03/04/2026 is the day: the first (`dmy`) or the second (`mdy`). Without it the file decides, column by column; required where nothing in the file does",
    }),
  ),
  ...(filesUnder && {
    company_id: optional(
      Type.Unsafe<string>({
        ...uuid(),
        description:
          "The client of new records whose rows name none. A row that names a client keeps it, and so does a stored record",
      }),
    ),
  }),
  unknown: optional(
    choice(namedValues("UnknownNames", ["create", "leave_out", "refuse"]), {
      default: "refuse",
      description:
        "Labels, types, statuses, members and providers that do not exist: `create` makes those that the caller may make and leaves the rest out, `leave_out` leaves all out and names them in `left_out`, `refuse` reports each as an error. Members are never made",
    }),
  ),
  ...Object.fromEntries(switches.map(({ key, about }) => [key, optional(Type.Boolean({ default: false, description: about }))])),
});
interface ImportQuery {
  dry_run?: boolean;
  map?: string;
  sheet?: string;
  header_row?: number;
  date_order?: DateOrder;
  unknown?: UnknownWords;
  company_id?: string;
}
const mappingsOf = ({ map }: ImportQuery): string[] => (map === undefined ? [] : [map]);

/** Converts the rejection of a whole file to an API error. */
async function answered<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ImportRefused ? error.asApiError() : error;
  }
}

/** The endpoint that exports one kind of record as a spreadsheet. @param again whether an import accepts the file, as a sentence */
const exporting = (entity: ExportEntity, again: string): Action => {
  const { name, plural, read, filters } = entity;
  return download({
    rest: `GET /impex/${name}`,
    verb: "export",
    summary: `Export ${plural} as a spreadsheet`,
    description: `All rows of the list with the same filters, ordered by key. ${again}`,
    permission: read,
    also: ["impex.export"],
    fromReplica: true,
    query: { format: format(), q: optional(multiline(200)), updated_since: optional(instant()), ...filters } as TProperties,
    returnsFile: Object.values(SHEET_TYPES).join(", "),
    errors: entity.refusals ?? [],
    exceptions: {
      statements: "conventions §22: an export of any size reads one page at a time, one statement each",
    },
    async handler(ctx) {
      const { format: chosen = "csv", ...wanted } = ctx.params as { format?: "csv" | "xlsx" };
      const { exportedSheet, fileOf } = await import("../../core/impex/export.ts");
      const { fields, pages } = await exportedSheet(entity, wanted);
      const staged = await stageBytes(Readable.from(await fileOf(chosen, fields, pages), { objectMode: false }));
      return stagedFile({ name: `${plural}.${chosen}`, type: SHEET_TYPES[chosen], staged });
    },
  });
};

/**
 * The actor that exports and imports one kind of record as a spreadsheet, under `/impex/<entity>` (conventions §22). A module has one per
 * kind, next to the actor of the records. The file libraries load with the first call.
 */
export function impexService(entity: ImpexEntity): ServiceSchema {
  const { name, plural, write } = entity;
  return service(`impex.${name}`, {
    actions: {
      export: exporting(entity, "The file can be imported again."),

      template: download({
        rest: `GET /impex/${name}/template`,
        summary: `An empty spreadsheet with every column of an import of ${plural}`,
        permission: write,
        also: ["impex.import"],
        query: { format: format() },
        returnsFile: Object.values(SHEET_TYPES).join(", "),
        async handler(ctx) {
          const { format: chosen = "csv" } = ctx.params;
          const { fileOf, templateFields } = await import("../../core/impex/export.ts");
          const bytes = await buffer(await fileOf(chosen, await templateFields(entity), []));
          return madeFile({ name: `${plural}.${chosen}`, type: SHEET_TYPES[chosen], bytes });
        },
      }),

      import: action({
        rest: `POST /impex/${name}`,
        verb: "import",
        summary: `Import ${plural} from a spreadsheet, all rows or none`,
        description: [
          `CSV or .xlsx with at most ${CALL_LIMITS.rows} rows and 100,000 characters in a cell. More than ${ROWS_AT_ONCE} rows are imported by a`,
          "job: the answer is 202 with its `job_id`, and `GET /impex/jobs/{job_id}` says how far it is. One row names the columns, by key or as they",
          "are called in English, Dutch or German and in other tools; `map`, `sheet` and `header_row` identify the rest.",
          "Unless `dry_run` is false it writes nothing, and the answer reports the would-be result. With an error in any row it writes nothing either:",
          "then a real run counts nothing as created, updated or unchanged.",
          entity.matching,
        ].join(" "),
        permission: write,
        also: ["impex.import"],
        query: importQuery(entity),
        body: ImportBody(),
        returns: ImportAnswer(),
        status: 200,
        otherStatuses: { 202: ImportStarted() },
        errors: [
          ...["conflict", "empty_file", "invalid_file", "invalid_xlsx", "sheet_not_found"],
          ...["too_many_columns", "too_many_rows", "file_too_large"],
        ],
        async prepare(ctx) {
          const asked = ctx.params as ImportQuery;
          if (entity.firstUse) await inOwnTransaction(entity.firstUse);
          const { bytes } = await openStored(ctx.params.body.file);
          return answered(async () => {
            const choice = headerChoice(entity, { mappings: mappingsOf(asked), sheet: asked.sheet, row: asked.header_row });
            return readSheet(await buffer(bytes), CALL_LIMITS, choice);
          });
        },
        async handler(ctx) {
          const asked = ctx.params as ImportQuery & Record<string, unknown>;
          const { dry_run: dryRun = true } = asked;
          const switches = (entity.switches ?? []).flatMap(({ key }) => (asked[key] === true ? key : []));
          const sheet = prepared<Sheet>();
          if (sheet.rows.length <= ROWS_AT_ONCE)
            return answered(() =>
              importSheet(entity, sheet, {
                ...{ mappings: mappingsOf(asked), switched: new Set(switches), dryRun },
                ...{ dateOrder: asked.date_order, unknown: asked.unknown, companyId: asked.company_id },
              }),
            );
          const { map = null, sheet: name = null, header_row = null, date_order = null, unknown = "refuse", company_id } = asked;
          const file = ctx.params.body.file as Upload;
          const options = {
            rows: sheet.rows.length,
            dryRun,
            asked: { map, sheet: name, header_row, date_order, unknown, company_id, switches },
          };
          return new Accepted({ job_id: await startImport(entity, file, options) });
        },
      }),
    },
    jobs: importJob(entity),
  });
}

/** The actor of a record kind with export only, because a record needs more than the cells of a row (conventions §22). */
export const exportService = (entity: ExportEntity): ServiceSchema =>
  service(`impex.${entity.name}`, { actions: { export: exporting(entity, "It cannot be imported.") } });
