import { dueRows } from "../../../core/jobs/due-rows.ts";

export const uptimeServers = dueRows(["uptime_instances", "r.active"]);
