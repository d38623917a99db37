import { update } from "../../../core/database/write.ts";
import type { Effect } from "../../../core/declare/effects.ts";
import { Contact } from "../models.ts";

/** A contact that got a portal login shows it, in the transaction that made the login (access §11.2). */
export const attachLogin: Effect<"portal.login_attached"> = async ({ contact_id, account_id }) =>
  update(Contact, contact_id, { account_id });
