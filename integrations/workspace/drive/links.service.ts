import { sinceQuery } from "../../../core/database/lists/list.ts";
import { lock } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { forbidden, notFound, refusal } from "../../../core/errors/errors.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { mayCaller } from "../../../core/request/caller.ts";
import { prepared } from "../../../core/request/context.ts";
import { flag, list, optional, readInstant, text, uuid } from "../../../core/schema/schema.ts";
import { resource } from "../../../mixins/resource.ts";
import { type DriveFile, isFolder, readFile } from "./drive-files.ts";
import { DriveLink, type DriveLinkRow, type Entity } from "./drive-models.ts";
import { asking, CALLING, ownDrive, requireDrive } from "./drive-refusals.ts";
import { DriveFolderSet, DriveLinkCreate, DriveLinkRead } from "./drive-schemas.ts";
import { linksOf, lockedRoot, rootOf, writtenLink } from "./link-rows.ts";
import { linkFile, setRoot, unlink } from "./link-writes.ts";
import { findRecord, requireRecord } from "./linked-records.ts";

/** Version of a record's folder that was never set. */
const UNSET_VERSION = 0;
const DISTINGUISHED =
  "a record outside the selection is 404, a missing one 422 (workspace §2.4); test/api/workspace/drive-links.test.ts shows both";

/** Reads a file as the caller, which proves that they can access it. @throws 404, 409, 502 */
async function readAsCaller(fileId: string): Promise<DriveFile> {
  const { access } = await ownDrive();
  return asking(() => readFile(access, fileId));
}

/** @throws 403 if the caller is not allowed to replace or remove a record's own folder */
function requireManage(): void {
  if (!mayCaller("workspace.drive.manage")) throw forbidden();
}

/** Replacing a record's own folder needs another permission than setting it. @throws 403 */
function permitFolder(root: DriveLinkRow | undefined, fileId: string): void {
  if (root && root.drive_file_id !== fileId) requireManage();
}

const entityOf = ({ company_id, project_id, task_id }: DriveLinkRow): Entity => {
  if (company_id !== null) return { entity_type: "company", entity_id: company_id };
  if (project_id !== null) return { entity_type: "project", entity_id: project_id };
  return { entity_type: "task", entity_id: task_id as string };
};

/** Links from clients, projects and tasks to files and folders at Google (workspace §2.4). */
export default resource("workspace.drive.links", {
  model: DriveLink,
  actions: {
    list: action({
      rest: "GET /workspace/drive/links",
      summary: "List the files and folders that are linked to a record",
      description:
        "The record's own folder first, then the oldest. Empty for an unknown id; 404 for a record outside the caller's selection.",
      permission: "workspace.drive.read",
      query: {
        entity_type: text(32, { description: "Kind of the record: `company`, `project` or `task`" }),
        entity_id: { ...uuid(), description: "Id of the record" },
        rollup: optional({ ...flag(false), description: "Whether links of a project's tasks follow those of the project" }),
        ...sinceQuery,
      },
      returns: list(DriveLinkRead),
      exceptions: {
        selection:
          "a record outside the selection is 404, an unknown id an empty list (workspace §2.4); test/api/workspace/drive-links.test.ts shows both",
      },
      handler(ctx) {
        const { rollup = false, updated_since: since, ...record } = ctx.params;
        return linksOf(record, rollup, since === undefined ? null : readInstant(since));
      },
    }),

    create: action({
      rest: "POST /workspace/drive/links",
      summary: "Link a file or folder to a record",
      description:
        "You need access to it at Google. A folder becomes the record's own if it has none. Returns an existing link unchanged.",
      permission: "workspace.drive.write",
      body: DriveLinkCreate,
      returns: DriveLinkRead,
      errors: CALLING,
      exceptions: { selection: DISTINGUISHED },
      async prepare(ctx) {
        await requireRecord(ctx.params.body);
        await requireDrive();
        return readAsCaller(ctx.params.body.drive_file_id);
      },
      handler: async (ctx) => writtenLink(await linkFile(ctx.params.body, prepared<DriveFile>())),
    }),

    setFolder: action({
      rest: "PUT /workspace/drive/folder",
      summary: "Make a folder a record's own",
      description:
        "A record has at most one: the previous link is removed, which also needs `workspace.drive.manage`. Folders at Google stay unchanged.",
      permission: "workspace.drive.write",
      body: DriveFolderSet,
      returns: DriveLinkRead,
      errors: [...CALLING, "workspace_drive_not_a_folder"],
      exceptions: { selection: DISTINGUISHED },
      async prepare(ctx): Promise<DriveFile | null> {
        const { body } = ctx.params;
        await requireRecord(body);
        const root = await rootOf(body);
        permitFolder(root, body.drive_file_id);
        await requireDrive();
        if (root?.drive_file_id === body.drive_file_id) return null;
        const file = await readAsCaller(body.drive_file_id);
        if (isFolder(file)) return file;
        throw refusal("workspace_drive_not_a_folder", undefined, {
          fields: { drive_file_id: "errors.workspace_drive_not_a_folder" },
        });
      },
      async handler(ctx) {
        const { body } = ctx.params;
        const folder = prepared<DriveFile | null>();
        const root = await lockedRoot(body);
        // An alias such as `root` names a folder with an id of its own.
        const fileId = folder?.id ?? body.drive_file_id;
        permitFolder(root, fileId);
        requireMatch(root?.version ?? UNSET_VERSION);
        if (root?.drive_file_id === fileId) return writtenLink(root.id);
        // Another caller unset this folder after `prepare` found it set and skipped the call to the provider.
        if (!folder) throw refusal("conflict", "errors.conflict");
        return writtenLink(await setRoot(body, folder, root));
      },
    }),

    remove: action({
      rest: "DELETE /workspace/drive/links/:link_id",
      summary: "Remove a link; the file at Google stays",
      description: "The link to a record's own folder also needs `workspace.drive.manage`.",
      permission: "workspace.drive.write",
      async handler(ctx) {
        const link = await lock(DriveLink, ctx.params.link_id);
        const entity = link && entityOf(link);
        if (!entity || !(await findRecord(entity))?.is_seen) throw notFound();
        if (link.is_root) requireManage();
        requireMatch(link.version);
        unlink(entity, link);
      },
    }),
  },
});
