import { answer, flag, input, instant, integer, nullable, Type, uuid } from "../../../core/declare/schema.ts";
import { upload } from "../../../core/files/upload.ts";

export const FileRead = answer("FileRead", {
  id: uuid(),
  org_id: uuid(),
  entity_type: Type.String(),
  entity_id: uuid(),
  filename: Type.String(),
  content_type: Type.String(),
  size: integer(0, Number.MAX_SAFE_INTEGER),
  inline: flag(),
  uploaded_by_user_id: nullable(uuid()),
  uploaded_by_name: nullable(Type.String()),
  created_at: instant(),
  updated_at: instant(),
});
export const FileUpload = input("FileUpload", { file: upload() });
