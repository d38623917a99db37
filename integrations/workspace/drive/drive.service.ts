import { newId } from "../../../core/database/model.ts";
import { action } from "../../../core/declare/action.ts";
import { invalid, refusal } from "../../../core/errors/errors.ts";
import { job } from "../../../core/jobs/jobs.ts";
import { prepared, request } from "../../../core/request/context.ts";
import { flag, optional, type Static, text } from "../../../core/schema/schema.ts";
import { service } from "../../../mixins/resource.ts";
import { browseFolder } from "./browsing.ts";
import { type DriveFile, openUpload, readFile } from "./drive-files.ts";
import type { Entity } from "./drive-models.ts";
import { asking, CALLING, ownDrive, requireDrive, requireRootFolder } from "./drive-refusals.ts";
import {
  DriveBrowseResult,
  DriveFolder,
  DriveFolderCreate,
  DriveUploadSession,
  DriveUploadSessionCreate,
} from "./drive-schemas.ts";
import { requireRecord } from "./linked-records.ts";
import { forgetListings } from "./listing-cache.ts";
import { findOrCreateFolder } from "./provisions/finding-folders.ts";
import { type ExpectedUpload, expectUpload, LINK_UPLOAD, linkUpload } from "./upload-links.ts";

/** The result of `prepare` for a new folder. */
interface MadeFolder {
  folder: DriveFile;
  accountId: string;
}

/** The result of `prepare` for an upload. */
interface OpenedUpload {
  session_uri: string;
  /** The expected link; null for an upload without a record. */
  link: Omit<ExpectedUpload, "turn"> | null;
}

/** The record in a body, or null. @throws 422 if only one of its two fields is sent */
function entityOf({ entity_type, entity_id }: Static<typeof DriveUploadSessionCreate>): Entity | null {
  if (entity_type && entity_id) return { entity_type, entity_id };
  if (entity_type) throw invalid({ entity_id: "errors.required" });
  if (entity_id) throw invalid({ entity_type: "errors.required" });
  return null;
}

/** A trimmed name. @throws 422 `fields.name` for a blank one */
function requireName(sent: string): string {
  const name = sent.trim();
  if (name === "") throw invalid({ name: "errors.required" });
  return name;
}

/** Files in the caller's own storage at Google, read live (workspace §2.4). */
export default service("workspace.drive", {
  actions: {
    browse: action({
      rest: "GET /workspace/drive/browse",
      verb: "browse",
      summary: "List the contents of a folder, as you see them at Google",
      description:
        "Calls Google as you, and caches the answer for 45 seconds. Searches this folder only; Google matches word beginnings only.",
      permission: "workspace.drive.read",
      query: {
        folder_id: optional(
          text(128, {
            description: "Google's id of the folder; without it the organisation's parent folder, else its shared drive",
          }),
        ),
        q: optional(text(100, { description: "Beginning of a word in the name; surrounding blanks are ignored" })),
        refresh: optional({ ...flag(false), description: "Whether to call Google even if its answer is cached" }),
      },
      returns: DriveBrowseResult,
      errors: [...CALLING, "workspace_drive_no_folder"],
      exceptions: {
        selection: "lists the caller's own storage at Google, which no selection narrows (workspace §2.4)",
        statements: "needs the caller's own connection; its list contains no rows (workspace §2.4)",
      },
      async prepare(ctx) {
        const { folder_id, q, refresh = false } = ctx.params;
        const settings = await requireDrive();
        const folderId = folder_id?.trim() || requireRootFolder(settings);
        return browseFolder(await ownDrive(), folderId, q?.trim() || null, refresh);
      },
      handler: async () => prepared<Static<typeof DriveBrowseResult>>(),
    }),

    createFolder: action({
      rest: "POST /workspace/drive/folders",
      summary: "Create a folder, or find an existing one with that name",
      description: "Returns an existing folder with that name instead of creating a second one.",
      permission: "workspace.drive.write",
      body: DriveFolderCreate,
      returns: DriveFolder,
      errors: CALLING,
      acts: "outside",
      async prepare(ctx): Promise<MadeFolder> {
        const { parent_id, name } = ctx.params.body;
        const wanted = requireName(name);
        await requireDrive();
        const { connection, access } = await ownDrive();
        const folder = await asking(async () => {
          const { id, driveId } = await readFile(access, parent_id);
          return findOrCreateFolder(access, { parent: { id, driveId }, name: wanted });
        });
        return { folder, accountId: connection.account_id };
      },
      async handler() {
        const { folder, accountId } = prepared<MadeFolder>();
        forgetListings(accountId);
        return { id: folder.id, name: folder.name, web_view_link: folder.webViewLink };
      },
    }),

    openUpload: action({
      rest: "POST /workspace/drive/upload-session",
      verb: "open",
      summary: "Open an upload, whose bytes the browser sends to Google itself",
      description:
        "The file appears at Google once it is uploaded. With `entity_type` and `entity_id`, both or neither, the service then links it to that record, even after the browser is closed: it looks for the file after a minute, then less often until the session ends after a week. To link it yourself, or sooner, use `POST /workspace/drive/links`, which never creates a second link; a failed link leaves the file.",
      permission: "workspace.drive.write",
      body: DriveUploadSessionCreate,
      returns: DriveUploadSession,
      status: 200,
      errors: [...CALLING, "workspace_upload_failed"],
      acts: "outside",
      oneTime: true,
      exceptions: {
        selection:
          "a record outside the selection is 404, a missing one 422 (workspace §2.4); test/api/workspace/drive-uploads.test.ts shows both",
      },
      async prepare(ctx): Promise<OpenedUpload> {
        const { folder_id, name, mime_type } = ctx.params.body;
        const wanted = requireName(name);
        const entity = entityOf(ctx.params.body);
        if (entity) await requireRecord(entity);
        await requireDrive();
        const { connection, access } = await ownDrive();
        const uploadId = entity && newId();
        const upload = { folderId: folder_id, name: wanted, mimeType: mime_type || null, origin: request().pageOrigin ?? null };
        const session_uri = await asking(() => openUpload(access, { ...upload, uploadId }));
        if (session_uri === null) throw refusal("workspace_upload_failed");
        const link = entity && uploadId ? { ...entity, upload_id: uploadId, account_id: connection.account_id } : null;
        return { session_uri, link };
      },
      async handler() {
        const { session_uri, link } = prepared<OpenedUpload>();
        if (link) expectUpload(link);
        return { session_uri };
      },
    }),
  },
  jobs: {
    [LINK_UPLOAD]: job<ExpectedUpload>({
      about: "Links an uploaded file to the record it was uploaded for, once its bytes are at Google",
      module: "workspace",
      handler: linkUpload,
    }),
  },
});
