import type { EventHook } from "../../core/declare/events.ts";
import { rewriteRenamed } from "./calendar/mirror/renamed-records.ts";
import { requestNewFolders } from "./drive/provisions/provision-rows.ts";

/** Events that request a folder for the new record. */
export const FOLDER_EVENTS = ["company.created", "project.created"];

/** What the workspace does in the transaction of other modules: requests folders of new records, and rewrites events with a former name. */
export const workspaceHook: EventHook = async (recorded, changed) => {
  const added = recorded.filter(({ name }) => FOLDER_EVENTS.includes(name));
  await Promise.all([added.length > 0 && requestNewFolders(added, []), rewriteRenamed(recorded, changed)]);
};
