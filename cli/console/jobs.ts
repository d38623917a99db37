import { cancelJob, deadLetters, JobRefused, listJobs, retryById, type ShownJob, showJob } from "../../core/jobs/operating.ts";
import { jobsOf } from "../../mixins/jobs.ts";
import { columns } from "../command.ts";
import { ConsoleError, type Session, shown } from "./session.ts";

const SHOWN = 50;

const lines = (jobs: readonly ShownJob[]): string =>
  jobs.length === 0
    ? "None."
    : columns(jobs.map((job) => [job.id, job.name, job.state, job.due_at ?? "", job.error ?? ""])).join("\n");

/** Figures of this node's jobs since it started. */
function figures({ broker }: Session): string {
  const { definitions, meter } = jobsOf(broker);
  const read = meter.read();
  const rows = definitions.map(({ name, schedule }) => {
    const did = read[name];
    const lag = did?.lag_p50 === null || did?.lag_p50 === undefined ? "" : `${did.lag_p50} / ${did.lag_p99} ms`;
    const counts = did
      ? [did.enqueued, did.running, did.succeeded, did.failed, did.retried, did.dead].map(String)
      : ["", "", "", "", "", ""];
    return [name, schedule ?? "", ...counts, lag];
  });
  return columns([["job", "clock", "enqueued", "running", "done", "failed", "retried", "dead", "lag p50 / p99"], ...rows]).join(
    "\n",
  );
}

/** Runs the console's `jobs` command and returns its output. */
export async function jobs(session: Session, what: string, id: string): Promise<string> {
  if (what === "") return figures(session);
  const { queue } = jobsOf(session.broker);
  if (!queue) throw new ConsoleError("The job store cannot be reached.");
  try {
    if (what === "list") return lines((await listJobs(queue, { limit: SHOWN })).jobs);
    if (what === "dead") return lines(await deadLetters(queue));
    if (what === "show") return shown(await showJob(queue, id));
    if (what === "retry") return shown(await retryById(queue, id));
    if (what === "cancel") return shown(await cancelJob(queue, id));
  } catch (error) {
    if (error instanceof JobRefused) throw new ConsoleError(error.message);
    throw error;
  }
  throw new ConsoleError("jobs needs list, dead, show <id>, retry <id> or cancel <id>.");
}
