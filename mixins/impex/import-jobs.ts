import { buffer } from "node:stream/consumers";
import { newId } from "../../core/database/model.ts";
import { queueInsert } from "../../core/database/write.ts";
import { holds } from "../../core/declare/permissions.ts";
import type { Principal } from "../../core/declare/principal.ts";
import { forbidden, isApiError, type RefusalParts } from "../../core/errors/errors.ts";
import { fileRow, keepFile, removeFile } from "../../core/files/files.ts";
import { openStored } from "../../core/files/storage.ts";
import type { Upload } from "../../core/files/upload.ts";
import type { ImpexEntity } from "../../core/impex/entity.ts";
import { CALL_LIMITS } from "../../core/impex/files/sheet.ts";
import {
  beginImport,
  endImport,
  IMPORT_JOB,
  type ImportAsked,
  ImportJob,
  type ImportJobRow,
  noteProgress,
  type StoredError,
  Superseded,
  starterId,
} from "../../core/impex/import-jobs.ts";
import { ImportRefused } from "../../core/impex/refused.ts";
import { type JobDeclaration, job, type OrganisationRun, schedule } from "../../core/jobs/jobs.ts";
import { requireNoImpersonation } from "../../core/request/caller.ts";
import { outsideOfRequests, request } from "../../core/request/context.ts";
import { importFile } from "./import-file.ts";

/** Rows between two progress updates. */
const STEP = 100;

type Payload = { job_id: string };
const jobName = ({ name }: ImpexEntity): string => `impex.${name}.import`;

/**
 * Hands an import over to a job, within the running transaction, and attaches the uploaded file to the job. Jobs of the same organisation
 * and record kind run one after another.
 * @returns the job's id
 * @throws 403 while a member views the service as a client
 */
export async function startImport(
  entity: ImpexEntity,
  file: Upload,
  { rows, dryRun, asked }: { rows: number; dryRun: boolean; asked: ImportAsked },
): Promise<string> {
  const { organisation, principal } = request();
  requireNoImpersonation(principal);
  const [id, starter] = [newId(), principal as Principal];
  const owner = { entityType: IMPORT_JOB, entityId: id };
  queueInsert(ImportJob, {
    id,
    entity: entity.name,
    starter_id: starterId(starter),
    starter,
    options: asked,
    dry_run: dryRun,
    file_id: await keepFile(file, owner),
    rows_total: rows,
  });
  schedule(jobName(entity), { job_id: id }, { key: organisation.id });
  return id;
}

/** Reports an import's progress in separate transactions, one at a time, because the import's own writes stay invisible until it ends. */
class Progress {
  readonly #run: OrganisationRun<Payload>;
  readonly #row: ImportJobRow;
  #isBusy = false;

  constructor(run: OrganisationRun<Payload>, row: ImportJobRow) {
    this.#run = run;
    this.#row = row;
  }

  /** @throws the reason of an aborted run, which keeps nothing of the import */
  readonly report = (done: number, total: number): void => {
    this.#run.signal.throwIfAborted();
    if (this.#isBusy || done % STEP !== 0) return;
    this.#isBusy = true;
    const { id, run, rows_total: rows } = this.#row;
    // Rows that are not written, because they are rejected or duplicates, count as done from the start.
    const note = async () => noteProgress(id, run as string, rows - total + done);
    void outsideOfRequests(() => this.#run.write(note))
      .catch(() => {})
      .finally(() => {
        this.#isBusy = false;
      });
  };
}

/** The reason of a permanent failure of an import; null if another attempt may succeed. */
function refusedBy(error: unknown): StoredError | null {
  const refused = error instanceof ImportRefused ? error.asApiError() : error;
  if (!isApiError(refused) || refused.code >= 500) return null;
  const { fields, details } = (refused.data ?? {}) as RefusalParts;
  return { code: refused.type, message: refused.message, ...(fields && { fields }), ...(details && { details }) };
}

/** Imports a job's file with its starter's current rights. */
async function importFor(entity: ImpexEntity, run: OrganisationRun<Payload>, row: ImportJobRow): Promise<void> {
  const { id, starter, options, dry_run: dryRun } = row;
  const principal = await run.call<Principal | null>("access.rights.now", { starter });
  if (!principal || ![entity.write, "impex.import"].every((permission) => holds(principal.grants, permission))) throw forbidden();
  const { content_id, backend } = await run.read(() => fileRow(row.file_id));
  const { bytes } = await openStored({ organisationId: run.organisation.id, id: content_id, backend });
  await importFile(entity, await buffer(bytes), {
    organisation: run.organisation,
    principal,
    limits: CALL_LIMITS,
    mappings: options.map === null ? [] : [options.map],
    sheet: options.sheet ?? undefined,
    headerRow: options.header_row ?? undefined,
    dateOrder: options.date_order ?? undefined,
    unknown: options.unknown,
    companyId: options.company_id,
    switched: new Set(options.switches),
    dryRun,
    onProgress: new Progress(run, row).report,
    finish: async (report) => removeFile(await endImport(id, row.run as string, { report })),
  });
}

/**
 * The job that imports long files of one record kind. The rows and the job's end are stored in one transaction: a dead node leaves nothing
 * behind, and a superseded run keeps nothing.
 */
export const importJob = (entity: ImpexEntity): Record<string, JobDeclaration> => ({
  [jobName(entity)]: job<Payload>({
    about: `Imports ${entity.plural} from a file that is too long for one call`,
    concurrency: 1,
    timeout: 1_800_000,
    retry: { attempts: 3, backoff: { first: 5_000 } },
    async handler(run) {
      const row = await run.write(() => beginImport(run.payload.job_id, newId()));
      if (!row) return;
      try {
        await importFor(entity, run, row);
      } catch (error) {
        if (error instanceof Superseded) return;
        const refused = refusedBy(error) ?? (run.lastAttempt ? { code: "server_error", message: "errors.server" } : null);
        if (refused === null) throw error;
        await run
          .write(async () => removeFile(await endImport(row.id, row.run as string, { error: refused })))
          .catch((failed: unknown) => {
            if (!(failed instanceof Superseded)) throw failed;
          });
      }
    },
  }),
});
