import { lateUpload } from "../../../core/files/upload.ts";
import { answer, input, instant, list, nullable, Type, uuid } from "../../../core/schema/schema.ts";
import { DOSSIER_CATEGORIES } from "./dossier.ts";

export const HrDocumentRead = answer(
  "HrDocumentRead",
  {
    id: uuid(),
    user_id: uuid(),
    file_id: uuid(),
    category: Type.String(),
    title: Type.String(),
    note: nullable(Type.String()),
    uploaded_by_name: nullable(Type.String()),
    created_at: nullable(instant()),
  },
  {
    user_id: "The person whose dossier it is in",
    file_id: "The stored file",
    category: "One of the `categories` of the dossier",
    title: "Title; the name of the file unless sent",
    note: "Note; null if none",
    uploaded_by_name: "Full name of who uploaded it, as it was then; null if not known",
    created_at: "When it was uploaded, UTC",
  },
);

export const DossierRead = answer(
  "DossierRead",
  {
    user_id: uuid(),
    documents: list(HrDocumentRead),
    categories: Type.Array(Type.String(), { default: [...DOSSIER_CATEGORIES] }),
  },
  {
    user_id: "The person whose dossier it is",
    documents: "The newest 500 documents, newest first",
    categories: "Categories that a document can have",
  },
);

/** The upload is read only after the category and the person are checked. */
export const HrDocumentUpload = input(
  "Body_upload_document_api_v1_hr_documents_post",
  { file: lateUpload() },
  { file: "The document, at most 10 MiB unless the installation allows more" },
);
