import { dueRows } from "../../core/jobs/due-rows.ts";
import { KEPT_DAYS } from "./gone-rows.ts";

const IS_OLD = `r.gone_at < now() - interval '${KEPT_DAYS + 1} days'`;

export const oldGoneRows = dueRows(["gone_rows", IS_OLD], ["former_selections", IS_OLD]);
