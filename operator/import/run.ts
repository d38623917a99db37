import { createReadStream, createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { catalogue } from "../../core/declare/catalogue/catalogue.ts";
import type { Organisation } from "../../core/declare/principal.ts";
import type { ImpexEntity } from "../../core/impex/entity.ts";
import { exportedSheet, type Format, fileOf } from "../../core/impex/export.ts";
import { OPERATOR_LIMITS } from "../../core/impex/files/sheet.ts";
import type { ImportOptions } from "../../core/impex/import.ts";
import type { ImportReport } from "../../core/impex/report.ts";
import { systemRequest } from "../../core/request/system.ts";
import { importFile } from "../../mixins/impex/import-file.ts";
import { inTenancy } from "../../mixins/tenancy.ts";

/** All spreadsheet formats, from the modules that declare one for their records. */
export const spreadsheets = (): Promise<ImpexEntity[]> =>
  Promise.all([...catalogue().records.values()].flatMap(({ sheet }) => (sheet ? [sheet()] : [])));

export interface OperatorReport extends ImportReport {
  entity: string;
  organisation: string;
  dry_run: boolean;
}

/** Import options of the command line: also which sheet and row of the file have the column names. */
export interface OperatorOptions extends ImportOptions {
  sheet?: string | undefined;
  headerRow?: number | undefined;
}

/**
 * Imports a file into an organisation as the system, in one transaction: if any row is rejected, nothing is imported.
 * @param file its path; a CSV file is streamed
 * @returns the report, and the sheets of a workbook that were not read
 * @throws ImportRefused if the file or the mapping cannot be used at all
 */
export async function runImport(
  entity: ImpexEntity,
  organisation: Organisation,
  file: string,
  options: OperatorOptions,
): Promise<{ report: OperatorReport; ignoredSheets: string[] }> {
  const source = () => createReadStream(file);
  const { report, ignoredSheets } = await importFile(entity, source, { ...options, organisation, limits: OPERATOR_LIMITS });
  return {
    report: { entity: entity.plural, organisation: organisation.slug, dry_run: options.dryRun, ...report },
    ignoredSheets,
  };
}

/**
 * Exports all records of a kind to a file, which appears only once it is complete.
 * @returns the number of rows
 */
export async function runExport(entity: ImpexEntity, organisation: Organisation, file: string, format: Format): Promise<number> {
  const temporary = `${file}.part`;
  let rows = 0;
  try {
    await inTenancy(
      () => systemRequest(`export.${entity.plural}`, organisation, "read"),
      async () => {
        const { fields, pages } = await exportedSheet(entity, { ...entity.everything });
        async function* counted() {
          for await (const page of pages) {
            rows += page.length;
            yield page;
          }
        }
        await pipeline(
          Readable.from(await fileOf(format, fields, counted()), { objectMode: false }),
          createWriteStream(temporary, { flush: true }),
        );
      },
    );
    await rename(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
  return rows;
}
