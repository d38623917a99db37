import {
  cancelJob,
  deadLetters,
  listJobs,
  retryById,
  retryDead,
  type ShownJob,
  STATES,
  showJob,
} from "../../core/jobs/operating.ts";
import type { Table } from "../../core/jobs/queue/table.ts";
import { withQueue } from "../../operator/queue.ts";
import { type Call, type Command, columns, type Outcome, UsageError } from "../command.ts";

const ID = { name: "id", about: "Id of the job" };
const NAME = { value: "NAME", about: "Only jobs of this name" };

const onQueue = (call: Call, work: (queue: Table) => Promise<Outcome>): Promise<Outcome> =>
  withQueue(call.config, call.ownerUrl, work);

const lines = (jobs: readonly ShownJob[]): string[] =>
  columns(
    jobs.map((job) => [
      job.id,
      job.name,
      job.state,
      job.due_at ?? "",
      job.failures > 0 ? `${job.failures} failures` : "",
      job.error ?? "",
    ]),
  );

const details = (job: ShownJob): string[] =>
  columns(
    Object.entries(job).map(([field, value]) => [field, typeof value === "object" ? JSON.stringify(value) : String(value)]),
  );

export const jobCommands: readonly Command[] = [
  {
    name: "jobs list",
    about: "List waiting, running and repeating jobs, the next ones first",
    options: {
      name: NAME,
      state: { value: "STATE", about: `One of ${STATES.join(", ")}` },
      limit: { value: "N", about: "At most so many; 50 if omitted" },
    },
    run: (call) =>
      onQueue(call, async (queue) => {
        const [state, limit] = [call.text("state"), call.text("limit") ?? "50"];
        const known = STATES.find((each) => each === state);
        if (state !== undefined && !known) throw new UsageError(`--state is one of ${STATES.join(", ")}.`);
        if (!/^[1-9]\d{0,4}$/.test(limit)) throw new UsageError("--limit must be a whole number from 1.");
        const { jobs, total } = await listJobs(queue, { name: call.text("name"), state: known, limit: Number(limit) });
        return { json: { jobs, total }, text: [...lines(jobs), `${jobs.length} of ${total} jobs.`] };
      }),
  },
  {
    name: "jobs show",
    about: "Show one job; payload texts other than ids and kinds are masked",
    arguments: [ID],
    run: (call) =>
      onQueue(call, async (queue) => {
        const job = await showJob(queue, call.need("id"));
        return { json: job, text: details(job) };
      }),
  },
  {
    name: "jobs dead",
    about: "List permanently failed jobs with their last error; kept 30 days",
    options: { name: NAME },
    run: (call) =>
      onQueue(call, async (queue) => {
        const jobs = await deadLetters(queue, call.text("name"));
        return { json: { jobs }, text: jobs.length > 0 ? lines(jobs) : ["There are no dead jobs."] };
      }),
  },
  {
    name: "jobs retry",
    about: "Run a dead job again now; `all` for every dead job",
    arguments: [{ name: "id", about: "Id of the job, or all" }],
    options: { name: { ...NAME, about: "With all: only the dead jobs of this name" } },
    run: (call) =>
      onQueue(call, async (queue) => {
        const id = call.need("id");
        const jobs = id === "all" ? await retryDead(queue, call.text("name")) : [await retryById(queue, id)];
        return { json: { jobs }, text: [...lines(jobs), `${jobs.length} run again within seconds.`] };
      }),
  },
  {
    name: "jobs cancel",
    about: "Cancel a waiting job, or delete a dead one",
    arguments: [ID],
    run: (call) =>
      onQueue(call, async (queue) => {
        const job = await cancelJob(queue, call.need("id"));
        return { json: job, text: [`Cancelled ${job.name} ${job.id}.`] };
      }),
  },
];
