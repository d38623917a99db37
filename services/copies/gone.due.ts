import { dueRows } from "../../core/jobs/due-rows.ts";
import { oldRows } from "../../core/sql/old-rows.ts";
import { KEPT_DAYS } from "./gone-rows.ts";

// A day longer than they are returned, so that no row goes while a page is read.
const KEPT = `${KEPT_DAYS + 1} days`;
const IS_OLD = `r.gone_at < now() - interval '${KEPT}'`;

export const oldGoneRows = dueRows(["gone_rows", IS_OLD], ["former_selections", IS_OLD]);
/** Rows of lists that are gone, and the selections of those who saw them. */
export const goneLongAgo = oldRows({ table: "gone_rows", age: "r.gone_at", kept: KEPT });
export const formerLongAgo = oldRows({ table: "former_selections", age: "r.gone_at", kept: KEPT });
