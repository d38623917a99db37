import { serveDrive } from "../../simulators/google/drive.ts";
import type { DriveState, SimulatedFile } from "../../simulators/google/drive-state.ts";
import type { GooglePersonRecord } from "../../simulators/google/grants.ts";
import type { Answer } from "../../support/http.ts";
import type { Caller, Tenant } from "../../support/service.ts";
import { configureWorkspace, connected, type Workspace } from "../../support/workspace.ts";
import { startWorkspace, type WorkspaceWorld } from "./workspace-world.ts";

/** An organisation whose folders are in one at Google, and a member who has connected an account there. */
export interface DriveOffice {
  tenant: Tenant;
  workspace: Workspace;
  /** A member, and who they are at Google. */
  ann: Caller;
  person: GooglePersonRecord;
  /** The organisation's parent folder, which the member may read and change. */
  root: SimulatedFile;
  /** Puts the settings again, with the root and what differs. */
  configure(values?: Record<string, unknown>): Promise<Answer>;
}

export interface DriveWorld extends WorkspaceWorld {
  drive: DriveState;
  /** Forgets everything at Google, and opens another organisation. */
  office(): Promise<DriveOffice>;
}

export async function startDrive(environment: Record<string, string> = {}): Promise<DriveWorld> {
  const world = await startWorkspace(environment);
  const drive = serveDrive(world.google);
  return {
    ...world,
    drive,
    async office() {
      world.google.reset();
      const tenant = await world.service.tenant();
      const workspace = await configureWorkspace(world.google, tenant);
      const ann = await tenant.member("member");
      const person = await connected(world.google, ann);
      const root = drive.folder("Clients", { person });
      const configure = (values: Record<string, unknown> = {}) =>
        workspace.configure({ drive_parent_folder_id: root.id, ...values });
      await configure();
      return { tenant, workspace, ann, person, root, configure };
    },
  };
}

/** Status, code and fields of a refusal. */
export const refused = ({ status, body }: Answer) => [
  status,
  body?.error?.code,
  ...(body?.error?.fields ? [body.error.fields] : []),
];
