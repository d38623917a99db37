import { column, type RowOf, tenantModel } from "../../../core/database/model.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { namedValues } from "../../../core/naming/named-values.ts";

const { boolean, text, uuid } = column;

/** Kinds of records that can have files. */
export const ENTITY_TYPES = namedValues("DriveRecordKind", ["company", "project", "task"]);
export type EntityType = (typeof ENTITY_TYPES)[number];

/** A reference to a record. */
export interface Entity {
  entity_type: EntityType;
  entity_id: string;
}

/** A link from a record to a file or folder at the provider; the root is the record's own folder (workspace §2.4). */
export const DriveLink = tenantModel("drive_links", {
  company_id: uuid().orNull(),
  project_id: uuid().orNull(),
  task_id: uuid().orNull(),
  entity_type: text<EntityType>().byDatabase(),
  entity_id: uuid().byDatabase(),
  drive_file_id: text(),
  drive_url: text(),
  name: text(),
  mime_type: text().orNull(),
  is_folder: boolean(),
  is_root: boolean().withDefault(),
  created_by_account_id: uuid().orNull(),
  created_by_name: text().orNull(),
}).whenViolated({
  // A row that is deleted between the check and the write is not found either.
  drive_links_company_fkey: notFound,
  drive_links_project_fkey: notFound,
  drive_links_task_fkey: notFound,
  drive_provisions_company_fkey: notFound,
  drive_provisions_project_fkey: notFound,
  drive_provisions_task_fkey: notFound,
});
export type DriveLinkRow = RowOf<typeof DriveLink>;
