import { dueRows } from "../../../core/jobs/due-rows.ts";

export const activeLinks = dueRows(["marketing_links", "r.active"]);
