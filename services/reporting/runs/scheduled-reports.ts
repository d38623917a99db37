import { zoneOr } from "../../../core/calendar/calendar.ts";
import { DEFAULT_ZONE } from "../../../core/config/defaults.ts";
import { columns } from "../../../core/database/model.ts";
import { query } from "../../../core/database/query.ts";
import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { Report, type ReportRow } from "../models.ts";
import { hoursBegun, isDue } from "../schedule/due-hours.ts";
import { seedHouseTone } from "../tones/tone-rows.ts";
import { enrolledClients, type PlannedClient, plannedReports, schedulesOf } from "./planned-reports.ts";
import { isLost, queueReports } from "./queue-reports.ts";
import { failReport } from "./run-rows.ts";

const LOST = statement(`select ${columns(Report, "r")} from reports r where r.organisation_id = $1 and ${isLost("$2")}
  order by r.id for update skip locked`);

/** The audiences a client's schedule makes reports for. */
const audiencesOf = ({ internal_enabled }: PlannedClient) =>
  internal_enabled ? (["client", "internal"] as const) : (["client"] as const);

/**
 * Queues the reports that are due in the organisation's local time, one run per client and audience; skips those that are ready, sent or in
 * flight (workspace-reporting §1.5 "Jobs").
 */
export async function queueDueReports(run: Pick<OrganisationRun, "organisation" | "write">): Promise<void> {
  const hours = hoursBegun(zoneOr(run.organisation.timezone, DEFAULT_ZONE), Date.now());
  if (hours.length === 0) return;
  await run.write(async () => {
    const schedules = await schedulesOf(await enrolledClients(null));
    const due = [...schedules].flatMap(([client, schedule]) => (hours.some((hour) => isDue(schedule, hour)) ? [client] : []));
    if (due.length === 0) return;
    await seedHouseTone();
    const wanted = due.flatMap((client) => audiencesOf(client).map((audience) => ({ client, audience })));
    await queueReports(await plannedReports(wanted, null), false);
  });
}

/** Fails the reports of runs that were lost. */
export const sweepLostRuns = (run: Pick<OrganisationRun, "write">): Promise<void> =>
  run.write(async () => {
    const lost = await query<ReportRow>(LOST, [request().organisation.id, new Date().toISOString()]);
    for (const report of lost) await failReport(report, [{ code: "run_timeout", detail: report.run_step }]);
  });
