import { enqueue } from "../../core/database/query.ts";
import type { Organisation, Principal } from "../../core/declare/principal.ts";
import type { ImpexEntity } from "../../core/impex/entity.ts";
import type { Source } from "../../core/impex/files/encoding.ts";
import { readSheet } from "../../core/impex/files/read-sheet.ts";
import type { FileLimits, Sheet } from "../../core/impex/files/sheet.ts";
import { headerChoice, type ImportOptions, importSheet } from "../../core/impex/import.ts";
import type { ImportReport } from "../../core/impex/report.ts";
import { systemRequest } from "../../core/request/system.ts";
import { statement } from "../../core/sql/statement.ts";
import { inTenancy } from "../tenancy.ts";

/**
 * A large file keeps the process busy between two messages, on a busy machine longer than PostgreSQL allows a request's transaction to
 * idle. If the process dies, the connection closes, and with it the transaction and its locks.
 */
const UNHURRIED = statement("set local idle_in_transaction_session_timeout = 0");

/** An import outside a call, from the command line or a job. */
export interface FileImport extends ImportOptions {
  organisation: Organisation;
  /** The importing principal; the command line omits it and imports as the system. */
  principal?: Principal;
  /** The sheet and row with the column headers. */
  sheet?: string | undefined;
  headerRow?: number | undefined;
  limits: FileLimits;
  /** Stores related data in the rows' transaction. */
  finish?: (report: ImportReport) => Promise<unknown>;
}

/**
 * Imports a file in its own transaction: all rows, or none if any row is rejected.
 * @param file its bytes, or a source to read in pieces
 * @returns the report, and the names of unread sheets of a workbook
 * @throws ImportRefused if the file or the mapping is unusable; 403 if the principal lacks a column's permission
 */
export async function importFile(
  entity: ImpexEntity,
  file: Uint8Array | Source,
  { organisation, principal, sheet: name, headerRow, limits, finish, ...options }: FileImport,
): Promise<{ report: ImportReport; ignoredSheets: string[] }> {
  const sheet: Sheet = await readSheet(file, limits, headerChoice(entity, { ...options, sheet: name, row: headerRow }));
  const begin = () => ({ ...systemRequest(`import.${entity.plural}`, organisation, "write"), ...(principal && { principal }) });
  if (entity.firstUse) await inTenancy(begin, entity.firstUse);
  const report = await inTenancy(begin, async () => {
    enqueue(UNHURRIED);
    const made = await importSheet(entity, sheet, options);
    await finish?.(made);
    return made;
  });
  return { report, ignoredSheets: sheet.ignoredSheets ?? [] };
}
