import { enqueue } from "../core/database/query.ts";
import { statement } from "../core/database/statement.ts";
import type { ImpexEntity } from "../core/impex/entity.ts";
import type { Source } from "../core/impex/files/encoding.ts";
import { readSheet } from "../core/impex/files/read-sheet.ts";
import type { FileLimits, Sheet } from "../core/impex/files/sheet.ts";
import { headerChoice, type ImportOptions, type ImportReport, importSheet } from "../core/impex/import.ts";
import type { Organisation, Principal } from "../core/request/context.ts";
import { systemRequest } from "../core/request/system.ts";
import { inTenancy } from "./tenancy.ts";

/**
 * A large file keeps the process busy between two messages, longer on a busy machine than PostgreSQL lets a request's transaction wait. The
 * transaction ends with the process: what it holds is let go when the connection closes.
 */
const UNHURRIED = statement("set local idle_in_transaction_session_timeout = 0");

/** An import outside of a call, of the command line or of a job. */
export interface FileImport extends ImportOptions {
  organisation: Organisation;
  /** Who imports; the system at the command line. */
  principal?: Principal;
  /** Which sheet and row of the file name the columns. */
  sheet?: string | undefined;
  headerRow?: number | undefined;
  limits: FileLimits;
  /** Does what has to be stored together with the rows, in their transaction. */
  finish?: (report: ImportReport) => Promise<unknown>;
}

/**
 * Imports a file in one transaction of its own: all of it, or nothing when any row is refused.
 * @param file its bytes, or a source that is read piece by piece
 * @returns the report, and the sheets of a workbook that were not read
 * @throws ImportRefused when the file or the mapping cannot be used at all; 403 when the principal lacks what a column needs
 */
export async function importFile(
  entity: ImpexEntity,
  file: Uint8Array | Source,
  { organisation, principal, sheet: name, headerRow, limits, finish, ...options }: FileImport,
): Promise<{ report: ImportReport; ignoredSheets: string[] }> {
  const sheet: Sheet = await readSheet(file, limits, headerChoice(entity, { ...options, sheet: name, row: headerRow }));
  const report = await inTenancy(
    () => ({ ...systemRequest(`import.${entity.plural}`, organisation, "write"), ...(principal && { principal }) }),
    async () => {
      enqueue(UNHURRIED);
      const made = await importSheet(entity, sheet, options);
      await finish?.(made);
      return made;
    },
  );
  return { report, ignoredSheets: sheet.ignoredSheets ?? [] };
}
