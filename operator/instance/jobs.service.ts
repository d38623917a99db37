import { runtime } from "../../core/config/runtime.ts";
import { cancelJob, deadLetters, listJobs, retryById, retryDead, showJob } from "../../core/jobs/operating.ts";
import type { Table } from "../../core/jobs/queue/table.ts";
import { text } from "../../core/schema/schema.ts";
import { service } from "../../mixins/resource.ts";
import { ownerUrl } from "../owner.ts";
import { withQueue } from "../queue.ts";
import { instanceAction, requireUnlimited } from "./action.ts";
import { JobList, JobPage, JobQuery, JobRead, NameQuery, RetryDead } from "./schemas/jobs.ts";

const needs = "jobs";
const path = { instance_job_id: text(64) };
const onQueue = <T>(work: (queue: Table) => Promise<T>): Promise<T> => withQueue(runtime().config, ownerUrl(), work);

/** The queue of all organisations. Payload texts other than ids and kinds are masked. */
export default service("instance.jobs", {
  actions: {
    list: instanceAction({
      rest: "GET /instance/jobs",
      verb: "list",
      summary: "List waiting, running and repeating jobs, the next ones first",
      needs,
      query: JobQuery,
      returns: JobPage,
      async handler({ caller, params: { name, state, limit = 50 } }) {
        requireUnlimited(caller);
        return onQueue((queue) => listJobs(queue, { name, state, limit }));
      },
    }),

    dead: instanceAction({
      rest: "GET /instance/jobs/dead",
      summary: "List jobs that failed permanently, with their last error; they are kept 30 days",
      needs,
      query: NameQuery,
      returns: JobList,
      async handler({ caller, params: { name } }) {
        requireUnlimited(caller);
        return onQueue((queue) => deadLetters(queue, name));
      },
    }),

    retryDead: instanceAction({
      rest: "POST /instance/jobs/dead/retry",
      summary: "Run all jobs that failed permanently again now, or those of one name",
      needs,
      act: "jobs.retried",
      body: RetryDead,
      returns: JobList,
      status: 200,
      errors: ["instance_refused"],
      async handler({ caller, params: { body }, note }) {
        requireUnlimited(caller);
        const name = body.name ?? undefined;
        const jobs = await onQueue((queue) => retryDead(queue, name));
        note({ detail: { name: name ?? null, jobs: jobs.length } });
        return jobs;
      },
    }),

    read: instanceAction({
      rest: "GET /instance/jobs/:instance_job_id",
      summary: "Show a job",
      needs,
      path,
      returns: JobRead,
      errors: ["instance_refused"],
      async handler({ caller, params: { instance_job_id: id } }) {
        requireUnlimited(caller);
        return onQueue((queue) => showJob(queue, id));
      },
    }),

    retry: instanceAction({
      rest: "POST /instance/jobs/:instance_job_id/retry",
      summary: "Run a job again now, with all its attempts",
      needs,
      act: "job.retried",
      path,
      returns: JobRead,
      status: 200,
      errors: ["instance_refused"],
      async handler({ caller, params: { instance_job_id: id }, note }) {
        requireUnlimited(caller);
        const job = await onQueue((queue) => retryById(queue, id));
        note({ detail: { job: job.id, name: job.name, organisation: job.organisation } });
        return job;
      },
    }),

    cancel: instanceAction({
      rest: "DELETE /instance/jobs/:instance_job_id",
      summary: "Cancel a waiting job, or delete one that failed permanently",
      needs,
      act: "job.cancelled",
      path,
      returns: null,
      errors: ["instance_refused"],
      async handler({ caller, params: { instance_job_id: id }, note }) {
        requireUnlimited(caller);
        const job = await onQueue((queue) => cancelJob(queue, id));
        note({ detail: { job: job.id, name: job.name, organisation: job.organisation } });
        return undefined;
      },
    }),
  },
});
