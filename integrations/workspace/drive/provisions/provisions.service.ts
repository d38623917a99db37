import { action } from "../../../../core/declare/action.ts";
import { notFound, refusal } from "../../../../core/errors/errors.ts";
import { job } from "../../../../core/jobs/jobs.ts";
import { connectionOf } from "../../../../mixins/google/connection.ts";
import { service } from "../../../../mixins/resource.ts";
import { requireDrive, requireRootFolder } from "../drive-refusals.ts";
import { DriveBulkProvisionResult, DriveProvisionRequest } from "../drive-schemas.ts";
import { rootOf } from "../link-rows.ts";
import { findRecord } from "../linked-records.ts";
import { removeOldListings } from "../listing-cache.ts";
import { removeOldPlaces } from "./creation-lease.ts";
import { loadUnfinished, PROVISION, requestFolder, requestFolders, SWEEP_MINUTES, scheduleDue } from "./provision-rows.ts";
import { provisionFolder } from "./provisioning.ts";
import { driveWork } from "./provisions.due.ts";

const REFUSALS = ["workspace_drive_disabled", "workspace_no_automation_connection", "workspace_drive_no_folder"] as const;
const MODULE = "workspace";

/** Checks that automation can create folders. @throws 409, in the order of workspace §2.4 */
async function requireAutomation(): Promise<void> {
  const settings = await requireDrive();
  const account = settings.automation_connection_user_id;
  if (account === null || !(await connectionOf(account))) throw refusal("workspace_no_automation_connection");
  requireRootFolder(settings);
}

/** Creates folders for records, through one colleague's connection (workspace §2.4). */
export default service("workspace.drive.provisions", {
  actions: {
    provision: action({
      rest: "POST /workspace/drive/provision",
      summary: "Have a record's own folder made",
      description:
        "A job creates it in the background, in the folder of the project or client, else in the organisation's. A client's folder starts with the content of the template. A new request restarts the count of attempts.",
      permission: "workspace.drive.write",
      body: DriveProvisionRequest,
      returns: null,
      status: 202,
      errors: [...REFUSALS, "not_found", "workspace_drive_folder_exists"],
      async handler(ctx) {
        const { body } = ctx.params;
        await requireAutomation();
        const record = await findRecord(body);
        if (record && !record.is_seen) throw notFound();
        const root = await rootOf(body);
        // A folder whose template is not completely copied can be requested again.
        if (root && (await loadUnfinished(body))?.drive_file_id !== root.drive_file_id)
          throw refusal("workspace_drive_folder_exists");
        if (!record) throw notFound();
        requestFolder(body);
      },
    }),

    provisionAll: action({
      rest: "POST /workspace/drive/provision-all",
      summary: "Create a folder for every client without one",
      description: "For the clients that you see.",
      permission: "workspace.settings.manage",
      returns: DriveBulkProvisionResult,
      status: 200,
      errors: REFUSALS,
      async handler() {
        await requireAutomation();
        return { queued: await requestFolders() };
      },
    }),
  },

  jobs: {
    [PROVISION]: job<{ provision_id: string }>({
      about: "Makes the folder of a record at Google and links it",
      module: MODULE,
      concurrency: 3,
      timeout: 600_000,
      dedupe: "start",
      handler: provisionFolder,
    }),
    "workspace.drive.sweep": {
      about: "Creates due folders, and removes cached listings",
      module: MODULE,
      schedule: `*/${SWEEP_MINUTES} * * * *`,
      due: driveWork,
      handler: (run) =>
        run.write(async () => {
          removeOldListings();
          removeOldPlaces();
          scheduleDue();
        }),
    },
  },
});
