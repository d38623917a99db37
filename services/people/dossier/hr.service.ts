import { column, type RowOf, tenantModel } from "../../../core/database/model.ts";
import { projection } from "../../../core/database/projection.ts";
import { queryOne } from "../../../core/database/query.ts";
import { queueInsert, queueRemove } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { download } from "../../../core/declare/makers/download.ts";
import { invalid, notFound } from "../../../core/errors/errors.ts";
import { fileAnswer, fileRow, keepFile, removeFile } from "../../../core/files/files.ts";
import { taken } from "../../../core/files/upload.ts";
import { mayCaller, NO_PERSON } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { line, multiline, optional, uuid } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trail } from "../../../core/trail/trail.ts";
import { resource, rowsOf } from "../../../mixins/resource.ts";
import { askedPerson } from "../callers.ts";
import { requireMembership } from "../sent.ts";
import { DOSSIER_CATEGORIES, documentNote, documentTitle, isCategory, MAX_DOCUMENTS } from "./dossier.ts";
import { DossierRead, HrDocumentRead, HrDocumentUpload } from "./dossier-schemas.ts";

/** The record kind that owns the files and the trail of a dossier: one per person. */
const DOSSIER = "hr_dossier";
const READ_ANY = "hr.dossier.read:any";

const HrDocument = tenantModel("hr_documents", {
  user_id: column.uuid(),
  file_id: column.uuid(),
  category: column.text(),
  title: column.text(),
  note: column.text().orNull(),
  uploaded_by_name: column.text().orNull(),
});
type DocumentRow = Pick<RowOf<typeof HrDocument>, "user_id" | "file_id" | "category" | "title">;

interface Dossier {
  /** JSON text. */
  readonly items: string;
  readonly member: boolean;
}

const shown = projection({ model: HrDocument, schema: HrDocumentRead });
const documents = rowsOf({
  model: HrDocument,
  projection: shown,
  whole: {
    order: "t.created_at desc, t.id desc",
    of: { user_id: "uuid" },
    limit: MAX_DOCUMENTS,
    also: "exists (select 1 from memberships where organisation_id = $1 and account_id = $3) as member",
  },
});

const DOCUMENT = statement("select user_id, file_id, category, title from hr_documents where organisation_id = $1 and id = $2");

/** Adds a line to the trail of a person's dossier (people §12, "Trail"). */
const note = (what: string, { user_id, category, title }: Omit<DocumentRow, "file_id">): void =>
  trail(DOSSIER, user_id, what, { category, title });

export default resource("hr", {
  model: HrDocument,
  actions: {
    dossier: action({
      rest: "GET /hr/dossier",
      summary: "Documents of a dossier, newest first",
      description: "Your own; everyone's with `hr.dossier.read:any`. At most 500.",
      permission: "hr.dossier.read",
      query: { user_id: optional(uuid()) },
      returns: DossierRead,
      errors: ["not_found"],
      async handler(ctx) {
        const userId = askedPerson(ctx.params.user_id, READ_ANY) ?? request().principal?.serviceAccountId ?? NO_PERSON;
        const { items, member } = (await queryOne<Dossier>(...documents.allBound({ user_id: userId }))) as Dossier;
        // A dossier outlives the membership; a person who never was a member has none.
        if (ctx.params.user_id !== undefined && !member && items === "[]") throw notFound();
        const rest = JSON.stringify({ user_id: userId, categories: DOSSIER_CATEGORIES });
        return new JsonText(`{"documents":${items},${rest.slice(1)}`);
      },
    }),

    add: action({
      rest: "POST /hr/documents",
      summary: "Add a document to a person's dossier",
      permission: "hr.document.manage",
      query: {
        user_id: uuid(),
        category: line(),
        title: optional(line({ default: "" })),
        note: optional(multiline(undefined, { default: "" })),
      },
      body: HrDocumentUpload,
      returns: HrDocumentRead,
      errors: ["not_found"],
      async handler(ctx) {
        const { user_id, category, title = "", note: remark = "", body } = ctx.params;
        if (!isCategory(category)) throw invalid({ category: "errors.validation" });
        await requireMembership(user_id);
        const file = taken(body.file);
        const document = { user_id: user_id.toLowerCase(), category, title: documentTitle(title, file.name) };
        const file_id = await keepFile(file, { entityType: DOSSIER, entityId: user_id });
        const uploaded_by_name = request().principal?.name ?? null;
        const id = queueInsert(HrDocument, { ...document, file_id, note: documentNote(remark), uploaded_by_name });
        note("document_added", document);
        return documents.answerWith(id);
      },
    }),

    file: download({
      rest: "GET /hr/documents/:document_id/file",
      summary: "Read the bytes of a document; the dossier's trail records the reader",
      permission: "hr.dossier.read",
      writes: true,
      returnsFile: "*/*",
      otherStatuses: { 304: "The caller has them already." },
      errors: ["not_found errors.file_bytes_missing", "not_found errors.storage_backend_unavailable"],
      async handler(ctx) {
        const document = await queryOne<DocumentRow>(DOCUMENT, [request().organisation.id, ctx.params.document_id]);
        const own = document !== undefined && document.user_id === request().principal?.accountId;
        if (!document || !(own || mayCaller(READ_ANY))) throw notFound();
        const answer = fileAnswer(await fileRow(document.file_id));
        note("document_read", document);
        return answer;
      },
    }),

    remove: action({
      rest: "DELETE /hr/documents/:document_id",
      summary: "Remove a document and its file from a dossier",
      permission: "hr.document.manage",
      async handler(ctx) {
        const id = ctx.params.document_id;
        const document = await documents.forWrite(id);
        queueRemove(HrDocument, id);
        removeFile(document.file_id);
        note("document_removed", document);
      },
    }),
  },
});
