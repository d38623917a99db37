import { dueRows } from "../../../core/jobs/due-rows.ts";

export const registrarAccounts = dueRows(["registrar_accounts", "r.active"]);
