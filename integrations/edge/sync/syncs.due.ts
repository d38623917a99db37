import { dueRows } from "../../../core/jobs/due-rows.ts";

export const edgeAccounts = dueRows(["edge_accounts", "r.active"]);
