import { queryOne } from "../../../core/database/query.ts";
import { job, type OrganisationRun, schedule } from "../../../core/jobs/jobs.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { service } from "../../../mixins/resource.ts";
import { propose } from "./proposing.ts";

const JOB = "banking.propose";
const IS_OPEN = statement("select 1 from bank_entries where organisation_id = $1 and state in ('open', 'proposed') limit 1");

/** Many invoices at once make one look at the entries: the job begins after the last of them, and reads the latest. */
const lookAgain = (_event: unknown, run: OrganisationRun): Promise<void> =>
  run.write(async () => {
    if (await queryOne(IS_OPEN, [request().organisation.id])) schedule(JOB, {}, { dedupe: "all" });
  });

/** Keeps proposals in step with invoices: what is issued, paid, credited or cancelled changes what an entry probably is. */
export default service("banking.proposing", {
  actions: {},
  jobs: {
    [JOB]: job({
      about: "Looks again at what open bank entries probably pay",
      handler: (run) => run.write(() => propose()),
    }),
  },
  subscribe: {
    "invoice.issued": lookAgain,
    "invoice.cancelled": lookAgain,
    "invoice.credited": lookAgain,
    "invoice.payment_received": lookAgain,
    "invoice.payment_removed": lookAgain,
  },
});
