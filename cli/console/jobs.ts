import { nearestTo } from "../../core/config/nearest-name.ts";
import {
  cancelJob,
  deadLetters,
  JobRefused,
  listJobs,
  retryById,
  type ShownJob,
  STATES,
  showJob,
} from "../../core/jobs/operating.ts";
import { jobsOf } from "../../mixins/jobs.ts";
import { columns } from "../command.ts";
import { readFlags } from "./parameters.ts";
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

/** What `jobs` can do, with the words that it takes. */
const USES: Readonly<Record<string, { takesId: boolean; flags: readonly string[] }>> = {
  list: { takesId: false, flags: ["name", "state", "limit"] },
  dead: { takesId: false, flags: ["name"] },
  show: { takesId: true, flags: [] },
  why: { takesId: true, flags: [] },
  retry: { takesId: true, flags: [] },
  cancel: { takesId: true, flags: [] },
};

/** What follows the word for the use, as id and flags. @throws ConsoleError for what that use does not take, rather than to ignore it */
function givenTo(what: string, words: readonly string[]): { id: string; flags: Record<string, unknown> } {
  const use = USES[what];
  if (!use) {
    const near = nearestTo(what, Object.keys(USES));
    throw new ConsoleError(`jobs has no '${what}'${near.isMisspelt ? `: did you mean \`jobs ${near.nearest}\`?` : "."}`);
  }
  const [id = ""] = use.takesId ? words : [];
  if (use.takesId && (words.length !== 1 || id.startsWith("-"))) throw new ConsoleError(`Usage: jobs ${what} <id>`);
  const flags = use.takesId ? {} : readFlags(words.join(" "));
  const unknown = Object.keys(flags).find((flag) => !use.flags.includes(flag));
  if (unknown !== undefined)
    throw new ConsoleError(`jobs ${what} has no --${unknown}: it takes ${use.flags.map((flag) => `--${flag}`).join(", ")}.`);
  return { id, flags };
}

const textOf = (value: unknown): string | undefined => (value === undefined ? undefined : String(value));

/** @throws ConsoleError for an unknown state or an invalid number */
function listing({ name, state, limit = SHOWN }: Record<string, unknown>): Parameters<typeof listJobs>[1] {
  const known = STATES.find((each) => each === state);
  if (state !== undefined && !known) throw new ConsoleError(`--state is one of ${STATES.join(", ")}.`);
  if (typeof limit !== "number" || limit < 1) throw new ConsoleError("--limit must be a whole number from 1.");
  return { name: textOf(name), state: known, limit };
}

/** Why a job is where it is, in a sentence. */
function reasonOf({
  state,
  name,
  due_at: due,
  locked_at: locked,
  failures,
  failed_at: failed,
  error,
  schedule,
}: ShownJob): string {
  const after = failures > 0 ? ` It has failed ${failures} times, last at ${failed}: ${error}` : "";
  if (state === "running") return `${name} has been running since ${locked}.${after}`;
  if (due === null) return `${name} is ${state} and has no next time: it runs again only by \`jobs retry\`.${after}`;
  const isDue = Date.parse(due) <= Date.now();
  if (isDue)
    return `${name} has been due since ${due} and waits for a node: a worker that has its actor, with a free slot. A suspended organisation's jobs wait, too.${after}`;
  return `${name} waits until ${due}${schedule === null ? (failures > 0 ? ", its next attempt" : "") : `, by its clock '${schedule}'`}.${after}`;
}

/** Runs the console's `jobs` command and returns its output. */
export async function jobs(session: Session, words: readonly string[]): Promise<string> {
  const [what = "", ...rest] = words.filter((word) => word !== "");
  if (what === "") return figures(session);
  const { id, flags } = givenTo(what, rest);
  const { queue } = jobsOf(session.broker);
  if (!queue) throw new ConsoleError("The job store cannot be reached.");
  try {
    if (what === "list") return lines((await listJobs(queue, listing(flags))).jobs);
    if (what === "dead") return lines(await deadLetters(queue, textOf(flags["name"])));
    if (what === "why") return reasonOf(await showJob(queue, id));
    if (what === "retry") return shown(await retryById(queue, id));
    if (what === "cancel") return shown(await cancelJob(queue, id));
    return shown(await showJob(queue, id));
  } catch (error) {
    if (error instanceof JobRefused) throw new ConsoleError(error.message);
    throw error;
  }
}
