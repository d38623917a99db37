import { queueUpdate } from "../../../core/database/write.ts";
import type { Hook } from "../../../core/declare/hooks.ts";
import { Contact } from "../models.ts";

/** Links a contact to its new portal login, in the transaction that creates the login (access §11.2). */
export const attachLogin: Hook<"portal.login_attached"> = async ({ contact_id, account_id }) =>
  queueUpdate(Contact, contact_id, { account_id });
