import { dueRows } from "../../../core/jobs/due-rows.ts";

/** SQL: an account whose figures are mirrored. */
export const IS_MIRRORED = "active and not is_manager";

export const mirroredAccounts = dueRows(["ads_accounts", IS_MIRRORED]);
