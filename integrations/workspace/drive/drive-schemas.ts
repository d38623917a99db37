import {
  answer,
  choice,
  field,
  flag,
  IN_HEADER,
  input,
  integer,
  list,
  nullable,
  optional,
  Type,
  text,
  uuid,
} from "../../../core/schema/schema.ts";
import { ENTITY_TYPES } from "./drive-models.ts";

const fileId = (what: string) => text(128, { minLength: 1, description: `Google's id of ${what}` });
const page = (what: string) =>
  nullable(Type.String({ description: `Address of ${what} in a browser; null if Google names none` }));

export const DriveBrowseFolder = answer("DriveBrowseFolder", {
  id: nullable(Type.String({ description: "Google's id of the folder" })),
  name: nullable(Type.String({ description: "Its name" })),
  web_view_link: page("the folder"),
});
export const DriveBrowseItem = answer("DriveBrowseItem", {
  id: Type.String({ description: "Google's id of the file or folder" }),
  is_folder: field(flag(false), "Whether it is a folder"),
  mime_type: nullable(Type.String({ description: "Its media type, as Google names it" })),
  modified_at: nullable(Type.String({ description: "Last change by anyone, UTC, ISO 8601; null if Google does not report it" })),
  name: Type.String({ description: "Its name; two in a folder can have the same" }),
  size: nullable(integer(0, Number.MAX_SAFE_INTEGER, { description: "Bytes; null for folders and files without a size" })),
  web_view_link: page("it"),
});
export const DriveBrowseResult = answer("DriveBrowseResult", {
  folder: field(DriveBrowseFolder, "The folder that was listed"),
  items: field(list(DriveBrowseItem), "Its contents, folders first, then by name; at most 100"),
  query: nullable(Type.String({ description: "The term that was searched for; null without one" })),
  truncated: field(flag(false), "Whether the list is incomplete, or Google did not search everywhere"),
});

const record = {
  entity_type: choice(ENTITY_TYPES, { description: "Kind of the record" }),
  entity_id: field(uuid(), "Id of the record"),
};
export const DriveLinkRead = answer("DriveLinkRead", {
  id: uuid(),
  entity_type: Type.String({ description: "Kind of the record: `company`, `project` or `task`" }),
  entity_id: field(uuid(), "Id of the record"),
  drive_file_id: Type.String({ description: "Google's id of the file or folder" }),
  drive_url: Type.String({ description: "Its address in a browser" }),
  name: Type.String({ description: "Its name when it was linked" }),
  mime_type: nullable(Type.String({ description: "Its media type when it was linked; null if Google named none" })),
  is_folder: field(flag(false), "Whether it is a folder"),
  is_root: field(flag(false), "Whether it is the record's own folder; a record has one at most"),
  created_by_name: nullable(Type.String({ description: "Who linked it; null for what automation linked" })),
});
export const DriveLinkCreate = input("DriveLinkCreate", { ...record, drive_file_id: fileId("the file or folder to link") });
export const DriveFolderSet = input("DriveFolderSet", { ...record, drive_file_id: fileId("the folder") });

export const DriveFolder = answer("DriveFolder", {
  id: Type.String({ description: "Google's id of the folder" }),
  name: Type.String({ description: "Its name" }),
  web_view_link: page("the folder"),
});
export const DriveFolderCreate = input("DriveFolderCreate", {
  parent_id: fileId("the folder to make it in"),
  name: text(255, { minLength: 1, description: "Its name; blanks around it are left out" }),
});

export const DriveUploadSession = answer("DriveUploadSession", {
  session_uri: Type.String({
    description: "Where the browser sends the bytes, in a PUT. A secret: anyone with it can write the file for a week",
  }),
});
export const DriveUploadSessionCreate = input("DriveUploadSessionCreate", {
  folder_id: fileId("the folder to upload into"),
  name: text(500, { minLength: 1, description: "Name of the file" }),
  // Sent to Google as a header.
  mime_type: optional(
    nullable(text(255, { pattern: IN_HEADER, description: "Media type of its bytes, in ASCII; null or absent: unknown" })),
  ),
  entity_type: optional(
    nullable(
      choice(ENTITY_TYPES, {
        description: "Kind of the record to link the file to; null or absent with `entity_id`: none",
      }),
    ),
  ),
  entity_id: optional(nullable(field(uuid(), "Id of the record to link the file to once it is uploaded; null or absent: none"))),
});

export const DriveProvisionRequest = input("DriveProvisionRequest", record);
export const DriveBulkProvisionResult = answer("DriveBulkProvisionResult", {
  queued: integer(0, 2147483647, { description: "Clients without a folder, for each of which one is made now" }),
});
