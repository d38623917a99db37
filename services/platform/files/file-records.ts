import { queryOne } from "../../../core/database/query.ts";
import type { ActionContext } from "../../../core/declare/action.ts";
import { catalogue } from "../../../core/declare/catalogue/catalogue.ts";
import { holds } from "../../../core/declare/permissions.ts";
import { forbidden, isApiError, notFound } from "../../../core/errors/errors.ts";
import { PICTURE_TYPES } from "../../../core/files/file-types.ts";
import type { FileRow } from "../../../core/files/files.ts";
import { refusedFile } from "../../../core/files/upload.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";

/** The owner record of a file, as the caller names it. */
export interface RecordName {
  entityType: string;
  entityId: string;
}

/** Pictures of the organisation itself, visible to everyone. */
export const BRANDING = "branding";
/** Pictures of people, each attached to its account. */
export const AVATAR = "avatar";

const IS_MEMBER = statement("select 1 from memberships where organisation_id = $1 and account_id = $2");

/** Who may change a record's files: anyone with the permission, or only its module's endpoints. */
type Handling = "open" | "managed";

async function isSeen(ctx: ActionContext, action: string, params: object): Promise<boolean> {
  try {
    await ctx.call(action, params);
    return true;
  } catch (error) {
    if (isApiError(error) && (error.code === 403 || error.code === 404)) return false;
    throw error;
  }
}

/**
 * Looks up a record in the caller's view. For every kind except the organisation's and people's own pictures it calls the module's action,
 * as the caller.
 * @returns null for a kind without files and for a missing or hidden record
 */
export async function findRecord(ctx: ActionContext, { entityType, entityId }: RecordName): Promise<Handling | null> {
  const { organisation } = request();
  if (entityType === BRANDING) return entityId === organisation.id ? "open" : null;
  if (entityType === AVATAR) return (await queryOne(IS_MEMBER, [organisation.id, entityId])) ? "open" : null;
  const { files, seen } = catalogue().records.get(entityType) ?? {};
  if (!files || !seen) return null;
  const [action, parameter] = seen;
  return (await isSeen(ctx, action, { [parameter]: entityId })) ? files : null;
}

function requireBrandingRight(ctx: ActionContext): void {
  if (!holds(ctx.meta.principal?.grants ?? [], "settings.branding.write")) throw forbidden();
}

/**
 * Checks that the caller may attach a file of this type to a record.
 * @throws 404 for a hidden record, 403 without the record's own permission, 422 for a non-picture where only pictures are allowed
 */
export async function requireAttachable(ctx: ActionContext, record: RecordName, type: string): Promise<void> {
  const handling = await findRecord(ctx, record);
  if (!handling) throw notFound();
  if (handling === "managed") throw forbidden();
  if (record.entityType === BRANDING) requireBrandingRight(ctx);
  if (record.entityType === AVATAR && record.entityId !== ctx.meta.principal?.accountId) throw forbidden();
  const onlyPictures = record.entityType === BRANDING || record.entityType === AVATAR;
  if (onlyPictures && !PICTURE_TYPES.includes(type)) throw refusedFile("errors.upload_type");
}

/**
 * Checks that the caller may remove a file.
 * @throws 404 if its record is hidden, 403 without the record's own permission, or for an avatar that another person uploaded
 */
export async function requireRemovable(ctx: ActionContext, file: FileRow): Promise<void> {
  const handling = await findRecord(ctx, { entityType: file.entity_type, entityId: file.entity_id });
  if (!handling) throw notFound();
  if (handling === "managed") throw forbidden();
  if (file.entity_type === BRANDING) requireBrandingRight(ctx);
  const accountId = ctx.meta.principal?.accountId ?? null;
  if (file.entity_type === AVATAR && (accountId === null || file.uploaded_by_account_id !== accountId)) throw forbidden();
}
