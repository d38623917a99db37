import { answer, input, instant, list, nullable, Type, uuid } from "../../../core/declare/schema.ts";
import { lateUpload } from "../../../core/files/upload.ts";
import { DOSSIER_CATEGORIES } from "./dossier.ts";

export const HrDocumentRead = answer("HrDocumentRead", {
  id: uuid(),
  user_id: uuid(),
  file_id: uuid(),
  category: Type.String(),
  title: Type.String(),
  note: nullable(Type.String()),
  uploaded_by_name: nullable(Type.String()),
  created_at: nullable(instant()),
});

export const DossierRead = answer("DossierRead", {
  user_id: uuid(),
  documents: list(HrDocumentRead),
  categories: Type.Array(Type.String(), { default: [...DOSSIER_CATEGORIES] }),
});

/** Looked at after the category and the person. */
export const HrDocumentUpload = input("Body_upload_document_api_v1_hr_documents_post", { file: lateUpload() });
