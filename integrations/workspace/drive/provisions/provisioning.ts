import type { OrganisationRun } from "../../../../core/jobs/jobs.ts";
import { trail } from "../../../../core/trail/trail.ts";
import { type GoogleAccess, googleAccess } from "../../../../mixins/google/client.ts";
import { GoogleFailure, type GoogleFailureKind } from "../../../../mixins/google/failure.ts";
import type { WorkspaceSettingsRow } from "../../../../mixins/google/models.ts";
import { storedSettings } from "../../../../mixins/google/oauth-settings.ts";
import { type DriveFile, readFile } from "../drive-files.ts";
import { mayUseDrive, rootFolderOf } from "../drive-refusals.ts";
import { lockedRoot } from "../link-rows.ts";
import { linkFile } from "../link-writes.ts";
import { Unsettled } from "./creation-lease.ts";
import { findOrCreateFolder } from "./finding-folders.ts";
import {
  countFailure,
  endProvision,
  loadProvision,
  lockProvision,
  noteFolder,
  type Provision,
  postpone,
  SWEEP_MINUTES,
  takenByOthers,
  workingConnection,
} from "./provision-rows.ts";
import { type Copied, copyTemplate } from "./template-copy.ts";

type Run = OrganisationRun<{ provision_id: string }>;

const SWEEP_SECONDS = SWEEP_MINUTES * 60;
/** Seconds before a retry after a daily limit. */
const DAY_LIMIT_SECONDS = 3600;
/** Failures of the connection or its grant, not of the record; they do not count as attempts. */
const OF_CONNECTION: readonly GoogleFailureKind[] = ["grant", "not_connected", "not_configured", "scope"];

/** The context for creating folders; null while automation has no working connection that covers files. */
async function waysOf(run: Run): Promise<{ settings: WorkspaceSettingsRow; rootId: string; access: GoogleAccess } | null> {
  return run.read(async () => {
    const settings = await storedSettings();
    const account = settings?.drive_enabled ? settings.automation_connection_user_id : null;
    const rootId = settings ? rootFolderOf(settings) : null;
    if (!settings || !account || rootId === null) return null;
    const connection = await workingConnection(account);
    return connection && mayUseDrive(connection) ? { settings, rootId, access: googleAccess(connection, run) } : null;
  });
}

/**
 * Creates and links the folder of one record (workspace §2.4). It can run at any time and concurrently, because every step stores its
 * result before the next one begins.
 */
export async function provisionFolder(run: Run): Promise<void> {
  const id = run.payload.provision_id;
  const provision = await run.read(() => loadProvision(id));
  if (provision?.state !== "waiting") return;
  // Leave a record alone if it got another folder meanwhile, or its folder was unlinked.
  if (provision.root_id !== provision.drive_file_id) return run.write(async () => endProvision(id));
  const ways = await waysOf(run);
  if (!ways) return run.write(async () => postpone(id, SWEEP_SECONDS, "automation has no working connection"));
  try {
    await makeFolder(run, provision, ways);
  } catch (error) {
    // A node that shuts down requeues the job; its failure says nothing about the folder.
    if (!(error instanceof GoogleFailure) || run.signal.aborted) throw error;
    await noteFailure(run, provision, error);
  }
}

async function makeFolder(
  run: Run,
  provision: Provision,
  { settings, rootId, access }: { settings: WorkspaceSettingsRow; rootId: string; access: GoogleAccess },
): Promise<void> {
  const { signal } = run;
  const folder = provision.drive_file_id
    ? await readFile(access, provision.drive_file_id, signal)
    : await linkedFolder(run, provision, access, rootId);
  if (!folder) return;
  const template = provision.entity_type === "company" ? settings.drive_template_folder_id : null;
  const copied = template === null ? null : await copyTemplate(access, template, folder, signal);
  await run.write(async () => {
    endProvision(provision.id);
    if (copied && (copied.isCut || copied.refused > 0)) notifyIncomplete(provision, copied);
  });
}

/** Finds or creates the folder and links it. @returns null if the record got another folder meanwhile, which stays */
async function linkedFolder(run: Run, provision: Provision, access: GoogleAccess, rootId: string): Promise<DriveFile | null> {
  const { signal } = run;
  const parent = await readFile(access, provision.parent_id ?? rootId, signal);
  const taken = (ids: readonly string[]) => run.read(() => takenByOthers(ids, provision));
  const folder = await findOrCreateFolder(access, { parent, name: provision.name.trim(), taken, signal });
  const isLinked = await run.write(async () => {
    if (!(await lockProvision(provision.id))) return false;
    if (await lockedRoot(provision)) {
      endProvision(provision.id);
      return false;
    }
    await linkFile(provision, folder);
    noteFolder(provision.id, folder.id);
    return true;
  });
  return isLinked ? folder : null;
}

/** Records missing template items in the trail of the client. */
function notifyIncomplete({ entity_type, entity_id, name }: Provision, { items, refused, isCut }: Copied): void {
  trail(entity_type, entity_id, "drive.template_incomplete", { name, copied: items, refused, cut: isCut });
}

/** Records why a folder was not created, and when to retry. A call that was never sent is not an attempt. */
async function noteFailure(run: Run, { id, entity_type, entity_id, name }: Provision, failure: GoogleFailure): Promise<void> {
  const { kind, reason, retryAfter, message, isUnsent } = failure;
  if (failure instanceof Unsettled || OF_CONNECTION.includes(kind) || kind === "rate" || isUnsent) {
    const isDaily = reason !== null && /^dailyLimit/.test(reason);
    const wait = failure instanceof Unsettled ? 0 : isDaily ? DAY_LIMIT_SECONDS : SWEEP_SECONDS;
    return run.write(async () => postpone(id, Math.max(wait, retryAfter ?? 0), message));
  }
  await run.write(async () => {
    if (await countFailure(id, message)) trail(entity_type, entity_id, "drive.provision_failed", { name });
  });
  run.logger.warn(
    { event: "workspace.folder_not_made", entity_type, entity_id, error: message },
    "the folder of a record could not be made",
  );
}
