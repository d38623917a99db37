import { type OrganisationRun, schedule } from "../../../core/jobs/jobs.ts";
import { googleAccess } from "../../../mixins/google/client.ts";
import { GoogleFailure } from "../../../mixins/google/failure.ts";
import { storedSettings } from "../../../mixins/google/oauth-settings.ts";
import { type DriveFile, findUploaded } from "./drive-files.ts";
import type { EntityType } from "./drive-models.ts";
import { mayUseDrive } from "./drive-refusals.ts";
import { linkUploaded } from "./link-writes.ts";
import { findRecord } from "./linked-records.ts";
import { workingConnection } from "./provisions/provision-rows.ts";

/** Links the file of an upload session to its record; the payload is an `ExpectedUpload`. */
export const LINK_UPLOAD = "workspace.drive.link-upload";

/** A file expected from an upload session. A type instead of an interface, so that it can be a job payload. */
export type ExpectedUpload = {
  /** Our property on the file. */
  upload_id: string;
  entity_type: EntityType;
  entity_id: string;
  /** The uploader, whose connection is used to look for the file. */
  account_id: string;
  /** Number of attempts so far. */
  turn: number;
};

const MINUTE = 60_000;
/** Minutes between attempts; the last value repeats. */
const WAITS = [1, 2, 5, 15, 60, 180];
const LAST_WAIT = 180;
/** Attempts until the session expires after a week. */
const MOST_TURNS = WAITS.length + (7 * 24 * 60) / LAST_WAIT;

/** Schedules a search for an uploaded file, in the running transaction. */
export function expectUpload(upload: Omit<ExpectedUpload, "turn">, turn = 0): void {
  if (turn >= MOST_TURNS) return;
  const runAt = new Date(Date.now() + (WAITS[turn] ?? LAST_WAIT) * MINUTE);
  schedule(LINK_UPLOAD, { ...upload, turn }, { runAt, dedupe: upload.upload_id });
}

type Run = OrganisationRun<ExpectedUpload>;

/** The file, found through the uploader's own connection; undefined if it is missing or the search fails. */
async function uploadedFile({ payload, read, write, signal, logger }: Run): Promise<DriveFile | undefined> {
  const connection = await read(async () =>
    (await storedSettings())?.drive_enabled ? workingConnection(payload.account_id) : undefined,
  );
  if (!connection || !mayUseDrive(connection)) return undefined;
  try {
    return await findUploaded(googleAccess(connection, { read, write }), payload.upload_id, signal);
  } catch (error) {
    if (!(error instanceof GoogleFailure)) throw error;
    logger.warn(
      { event: "workspace.upload_not_looked_up", upload: payload.upload_id, reason: error.message },
      "an uploaded file could not be looked for",
    );
    return undefined;
  }
}

/**
 * Links an uploaded file to its record, because the browser that uploaded it may be gone (trap S18). Retries with growing delays until the
 * session expires. Does nothing if the record was deleted.
 */
export async function linkUpload(run: Run): Promise<void> {
  const { turn, ...upload } = run.payload;
  const file = await uploadedFile(run);
  await run.write(async () => {
    if (!(await findRecord(upload))) return;
    if (file) await linkUploaded(upload, file, upload.account_id);
    else expectUpload(upload, turn + 1);
  });
}
