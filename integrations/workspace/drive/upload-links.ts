import { type OrganisationRun, schedule } from "../../../core/jobs/jobs.ts";
import { googleAccess } from "../../../mixins/google/client.ts";
import { GoogleFailure } from "../../../mixins/google/failure.ts";
import { storedSettings } from "../../../mixins/google/oauth-settings.ts";
import { type DriveFile, findUploaded } from "./drive-files.ts";
import type { EntityType } from "./drive-models.ts";
import { mayUseDrive } from "./drive-refusals.ts";
import { linkUploaded } from "./link-writes.ts";
import { findRecord } from "./linked-records.ts";
import { workingConnection } from "./provision-rows.ts";

/** Links the file of an upload session to its record; its payload is an `ExpectedUpload`. */
export const LINK_UPLOAD = "workspace.drive.link-upload";

/** A file that is to come through an upload session. A type, so that it is a payload of a job. */
export type ExpectedUpload = {
  /** Our mark on the file. */
  upload_id: string;
  entity_type: EntityType;
  entity_id: string;
  /** Who uploads it, and through whose connection it is looked for. */
  account_id: string;
  /** How often it was looked for. */
  turn: number;
};

const MINUTE = 60_000;
/** Minutes from one look to the next; the last one repeats. */
const WAITS = [1, 2, 5, 15, 60, 180];
const LAST_WAIT = 180;
/** Looks until a session has ended: a week. */
const MOST_TURNS = WAITS.length + (7 * 24 * 60) / LAST_WAIT;

/** Has the file of an upload looked for, in the running transaction. */
export function expectUpload(upload: Omit<ExpectedUpload, "turn">, turn = 0): void {
  if (turn >= MOST_TURNS) return;
  const runAt = new Date(Date.now() + (WAITS[turn] ?? LAST_WAIT) * MINUTE);
  schedule(LINK_UPLOAD, { ...upload, turn }, { runAt, dedupe: upload.upload_id });
}

type Run = OrganisationRun<ExpectedUpload>;

/** The file, through its person's own connection; undefined while it is not there, or cannot be looked for. */
async function uploadedFile({ payload, read, write, signal, logger }: Run): Promise<DriveFile | undefined> {
  const connection = await read(async () =>
    (await storedSettings())?.drive_enabled ? workingConnection(payload.account_id) : undefined,
  );
  if (!connection || !mayUseDrive(connection)) return undefined;
  try {
    return await findUploaded(googleAccess(connection, { read, write }), payload.upload_id, signal);
  } catch (error) {
    if (!(error instanceof GoogleFailure)) throw error;
    logger.warn({ upload: payload.upload_id, reason: error.message }, "an uploaded file could not be looked for");
    return undefined;
  }
}

/**
 * Links the file of an upload session to the record it came from, once its bytes are there: the browser that sent them may be gone (trap
 * S18). Looks again, less and less often, until the session has ended. A record that is gone takes no link.
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
