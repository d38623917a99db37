import { upload } from "../../../core/files/upload.ts";
import { answer, flag, input, instant, integer, nullable, Type, uuid } from "../../../core/schema/schema.ts";

export const FileRead = answer(
  "FileRead",
  {
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
  },
  {
    entity_type: "Kind of the record it is attached to",
    entity_id: "The record it is attached to",
    filename: "Name of the file, without a path",
    content_type: "Media type of the bytes",
    size: "Size in bytes",
    inline: "Whether it is part of a text instead of an attachment",
    uploaded_by_user_id: "Who uploaded it; null if that account is gone",
    uploaded_by_name: "Full name of who uploaded it, as it was then; null if not known",
  },
);
export const FileUpload = input(
  "FileUpload",
  { file: upload() },
  { file: "The file, at most 10 MiB unless the installation allows more" },
);
