import { job } from "../../../core/jobs/jobs.ts";
import { printing } from "../../../mixins/documents/printing/pdf.ts";
import { service } from "../../../mixins/resource.ts";
import { RUN_JOB, type RunPayload } from "./queue-reports.ts";
import { clientsWithReports, reportsUnderWay } from "./reports.due.ts";
import { makeReport, RUN_LIMIT } from "./run-report.ts";
import { queueDueReports, sweepLostRuns } from "./scheduled-reports.ts";

/** Makes reports, by schedule and on request (workspace-reporting §1.5 "Jobs"). */
export default service("reporting.runs", {
  mixins: [printing],
  actions: {},
  jobs: {
    [RUN_JOB]: job<RunPayload>({
      about: "Makes one report: gathers, freezes, writes, draws, prints, publishes and mails it",
      module: "reporting",
      concurrency: 3,
      timeout: RUN_LIMIT,
      lock: 20_000,
      dedupe: "end",
      retry: { attempts: 3, backoff: { first: 2_000, factor: 5, most: 60_000 } },
      handler: makeReport,
    }),
    "reporting.schedule": {
      about: "Queues the reports whose day and hour have come where the organisation is",
      module: "reporting",
      schedule: "5 * * * *",
      due: clientsWithReports,
      handler: queueDueReports,
    },
    "reporting.sweep": {
      about: "Fails reports whose run broke off twenty minutes ago or longer",
      licenceExempt: "a report left unfinished by a lapsed licence must not stay in progress forever (workspace-reporting §1.5)",
      schedule: "10,25,40,55 * * * *",
      due: reportsUnderWay,
      handler: sweepLostRuns,
    },
  },
});
