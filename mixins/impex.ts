import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { ServiceSchema } from "moleculer";
import { action } from "../core/declare/action.ts";
import {
  answer,
  choice,
  flag,
  input,
  instant,
  integer,
  list,
  multiline,
  nullable,
  optional,
  type TProperties,
  Type,
} from "../core/declare/schema.ts";
import { madeFile, stagedFile } from "../core/files/file-answer.ts";
import { TABLE_TYPES } from "../core/files/file-types.ts";
import { stageBytes } from "../core/files/staged-uploads.ts";
import { openStored } from "../core/files/storage.ts";
import { upload } from "../core/files/upload.ts";
import type { ImpexEntity } from "../core/impex/entity.ts";
import { readSheet } from "../core/impex/files/read-sheet.ts";
import { CALL_LIMITS, type Sheet } from "../core/impex/files/sheet.ts";
import { fieldsOf, importSheet } from "../core/impex/import.ts";
import { ImportRefused } from "../core/impex/refused.ts";
import { prepared } from "../core/request/context.ts";
import { service } from "./resource.ts";

/** What is offered of a spreadsheet's type: its media type. */
const MEDIA_TYPES = { csv: "text/csv", xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" } as const;
const format = () => optional(choice(["csv", "xlsx"], { default: "csv" }));

const ImportBody = () => input("ImportFile", { file: upload([...TABLE_TYPES, "text/plain"]) });
const ImportAnswer = () =>
  answer("ImportResult", {
    rows: integer(0),
    created: integer(0),
    updated: integer(0),
    unchanged: integer(0),
    errors: list(
      answer("ImportError", {
        row: integer(1),
        column: Type.String(),
        header: nullable(Type.String()),
        error: Type.String(),
      }),
    ),
    ignored_columns: list(Type.String()),
  });

/** Refusals of a whole file as answers of an endpoint. */
async function answered<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ImportRefused ? error.asApiError() : error;
  }
}

/**
 * The actor that takes one kind of record in and out as a spreadsheet, under `/impex/<entity>` (conventions §22). A module has one per kind,
 * beside the actor of the records; libraries for files are loaded with the first call.
 */
export function impexService(entity: ImpexEntity): ServiceSchema {
  const { name, plural, read, write, filters } = entity;
  return service(`impex.${name}`, {
    actions: {
      export: action({
        rest: `GET /impex/${name}`,
        summary: `Export ${plural} as a spreadsheet`,
        description: "The rows of the list with the same filters, all of them, ordered by key. An import takes the file again.",
        permission: read,
        also: ["impex.export"],
        query: { format: format(), q: optional(multiline(200)), updated_since: optional(instant()), ...filters } as TProperties,
        returnsFile: "*/*",
        errors: entity.refusals ?? [],
        exceptions: {
          statements: "conventions §22: of any number of rows only a page is held at once, so each takes a statement",
        },
        async handler(ctx) {
          const { format: chosen = "csv", ...wanted } = ctx.params as { format?: "csv" | "xlsx" };
          const { exportedFields, exportedPages, fileOf } = await import("../core/impex/export.ts");
          const fields = await exportedFields(entity);
          const pages = await exportedPages(entity, fields, wanted);
          const staged = await stageBytes(Readable.from(await fileOf(chosen, fields, pages), { objectMode: false }));
          return stagedFile({ name: `${plural}.${chosen}`, type: MEDIA_TYPES[chosen], staged });
        },
      }),

      template: action({
        rest: `GET /impex/${name}/template`,
        summary: `An empty spreadsheet with every column an import of ${plural} takes`,
        permission: write,
        also: ["impex.import"],
        query: { format: format() },
        returnsFile: "*/*",
        async handler(ctx) {
          const { format: chosen = "csv" } = ctx.params;
          const { fileOf } = await import("../core/impex/export.ts");
          const bytes = await buffer(await fileOf(chosen, await fieldsOf(entity), []));
          return madeFile({ name: `${plural}.${chosen}`, type: MEDIA_TYPES[chosen], bytes });
        },
      }),

      import: action({
        rest: `POST /impex/${name}`,
        summary: `Import ${plural} from a spreadsheet, all rows or none`,
        description: [
          `CSV or .xlsx with at most ${CALL_LIMITS.rows} rows; the first row names the columns, by key or by a usual English or Dutch name.`,
          "Unless `dry_run` is false nothing is written and the answer says what would be. With an error in any row nothing is written either:",
          "then a real run counts nothing as created, updated or unchanged.",
          entity.matching,
        ].join(" "),
        permission: write,
        also: ["impex.import"],
        query: { dry_run: optional(flag(true)) },
        body: ImportBody(),
        returns: ImportAnswer(),
        status: 200,
        errors: ["conflict", "empty_file", "invalid_file", "invalid_xlsx", "too_many_columns", "too_many_rows", "file_too_large"],
        async prepare(ctx) {
          const { bytes } = await openStored(ctx.params.body.file);
          return answered(async () => readSheet(await buffer(bytes), CALL_LIMITS));
        },
        async handler(ctx) {
          const { dry_run: dryRun = true } = ctx.params;
          const report = await answered(() => importSheet(entity, prepared<Sheet>(), { dryRun }));
          return !dryRun && report.errors.length > 0 ? { ...report, created: 0, updated: 0, unchanged: 0 } : report;
        },
      }),
    },
  });
}
