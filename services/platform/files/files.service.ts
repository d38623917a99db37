import { sinceQuery } from "../../../core/database/lists/list.ts";
import { projection } from "../../../core/database/projection.ts";
import { lock } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { download } from "../../../core/declare/makers/download.ts";
import { openAction } from "../../../core/declare/makers/open-action.ts";
import { forbidden, invalid, notFound } from "../../../core/errors/errors.ts";
import { FileModel, fileAnswer, fileRow, keepFile, removeFile } from "../../../core/files/files.ts";
import { requireTag } from "../../../core/http/etag.ts";
import { request } from "../../../core/request/context.ts";
import { flag, list, optional, text, uuid } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { trail } from "../../../core/trail/trail.ts";
import { resource, rowsOf } from "../../../mixins/resource.ts";
import { maintainFiles } from "./file-maintenance.ts";
import { AVATAR, BRANDING, findRecord, requireAttachable, requireRemovable } from "./file-records.ts";
import { FileRead, FileUpload } from "./file-schemas.ts";

const shown = projection({
  model: FileModel,
  schema: FileRead,
  columns: {
    filename: "t.name",
    content_type: "t.type",
    size: "content.size",
    uploaded_by_user_id: "t.uploaded_by_account_id",
  },
  joins: "join file_contents content on content.organisation_id = t.organisation_id and content.id = t.content_id",
});
const files = rowsOf({
  model: FileModel,
  projection: shown,
  whole: { order: "t.created_at, t.id", of: { entity_type: "text", entity_id: "uuid" }, by: { inline: "boolean" }, limit: 200 },
});

const NONE = new JsonText("[]");
const kind = () => text(64);

/** The record of an upload; the organisation's and the caller's own pictures need no id. */
function recordOf(entityType: string, entityId: string | undefined) {
  const { organisation, principal } = request();
  const own = entityType === BRANDING ? organisation.id : entityType === AVATAR ? principal?.accountId : undefined;
  if (entityId === undefined && entityType === AVATAR && own === null) throw forbidden();
  const id = (entityId ?? own)?.toLowerCase();
  if (!id) throw invalid({ entity_id: "errors.required" });
  return { entityType, entityId: id };
}

export default resource("files", {
  model: FileModel,
  actions: {
    list: openAction({
      rest: "GET /files",
      summary: "Files of a record, oldest first",
      description: "At most 200. Empty for a record outside of the caller's view.",
      open: "everyone who can see a record can see its files; the record's own actor decides",
      query: { entity_type: kind(), entity_id: uuid(), include_inline: optional(flag(false)), ...sinceQuery },
      returns: list(FileRead),
      async handler(ctx) {
        const { entity_type: entityType, include_inline: inline, updated_since } = ctx.params;
        const entityId = ctx.params.entity_id.toLowerCase();
        if (!(await findRecord(ctx, { entityType, entityId }))) return NONE;
        return files.all({ entity_type: entityType, entity_id: entityId, inline: inline ? undefined : false, updated_since });
      },
    }),

    create: action({
      rest: "POST /files",
      summary: "Attach a file to a record",
      description:
        "Omit `entity_id` for the organisation's own pictures (`branding`, which also need `settings.branding.write`) and for the caller's own (`avatar`); both accept pictures only.",
      permission: "files.file.write",
      query: { entity_type: kind(), entity_id: optional(uuid()), inline: optional(flag(false)) },
      body: FileUpload,
      returns: FileRead,
      errors: ["not_found"],
      async prepare(ctx) {
        const { entity_type: entityType, entity_id: entityId, body } = ctx.params;
        await requireAttachable(ctx, recordOf(entityType, entityId), body.file.type);
      },
      async handler(ctx) {
        const { entity_type: entityType, entity_id: entityId, inline = false, body } = ctx.params;
        const record = recordOf(entityType, entityId);
        const id = await keepFile(body.file, { ...record, inline });
        trail(entityType, record.entityId, "file_attached", { filename: body.file.name });
        return files.answerWith(id);
      },
    }),

    get: download({
      rest: "GET /files/:file_id",
      summary: "The bytes of a file",
      open: "everyone who can see a record can see its files; the record's own actor decides",
      returnsFile: "*/*",
      otherStatuses: { 304: "The caller has them already." },
      errors: ["not_found errors.file_bytes_missing", "not_found errors.storage_backend_unavailable"],
      async handler(ctx) {
        const row = await fileRow(ctx.params.file_id);
        if (!(await findRecord(ctx, { entityType: row.entity_type, entityId: row.entity_id }))) throw notFound();
        return fileAnswer(row);
      },
    }),

    public: download({
      rest: "GET /files/:file_id/public",
      summary: "The bytes of a picture of the organisation's branding",
      open: "branding is shown before anybody signs in",
      needs: "nothing",
      whileSuspended: true,
      returnsFile: "image/*",
      otherStatuses: { 304: "The caller has them already." },
      errors: ["not_found errors.file_bytes_missing", "not_found errors.storage_backend_unavailable"],
      async handler(ctx) {
        const row = await fileRow(ctx.params.file_id);
        if (row.entity_type !== BRANDING) throw notFound();
        return fileAnswer(row, { shared: true });
      },
    }),

    remove: action({
      rest: "DELETE /files/:file_id",
      summary: "Remove a file",
      description: "An avatar only by who uploaded it; branding also needs `settings.branding.write`.",
      permission: "files.file.write",
      prepare: async (ctx) => requireRemovable(ctx, await fileRow(ctx.params.file_id)),
      async handler(ctx) {
        const id = ctx.params.file_id;
        const row = await lock(FileModel, id);
        if (!row) throw notFound();
        requireTag(`"${id}"`);
        removeFile(id);
        trail(row.entity_type, row.entity_id, "file_removed", { filename: row.name });
      },
    }),
  },

  jobs: {
    "files.maintain": {
      about: "Removes the bytes of files without references for 24 hours",
      schedule: "15 3 * * *",
      everywhere: "the store may hold bytes of an organisation that no row names",
      spread: 55,
      concurrency: 1,
      timeout: 600_000,
      handler: (run) => maintainFiles(run, new Date()),
    },
  },
});
