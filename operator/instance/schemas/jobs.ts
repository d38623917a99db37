import { STATES } from "../../../core/jobs/operating.ts";
import {
  answer,
  choice,
  field,
  input,
  instant,
  integer,
  json,
  list,
  nullable,
  optional,
  Type,
  text,
  uuid,
} from "../../../core/schema/schema.ts";

export const JobRead = answer(
  "InstanceJob",
  {
    id: Type.String(),
    name: Type.String(),
    state: Type.String(),
    organisation: nullable(uuid()),
    due_at: nullable(instant()),
    locked_at: nullable(instant()),
    failures: integer(),
    failed_at: nullable(instant()),
    error: nullable(Type.String()),
    schedule: nullable(Type.String()),
    payload: json(),
  },
  {
    id: "Id of the job",
    name: "Name of the job",
    state: "`running`, `queued`, `scheduled`, `repeating`, `failed`, `completed` or `paused`",
    organisation: "Id of its organisation; null for a job of the installation",
    due_at: "When it runs; null if it does not run again",
    locked_at: "Since when a node runs it; null if none does",
    failures: "Number of failed attempts",
    failed_at: "When it failed last; null if it did not",
    error: "The last error; null if there is none",
    schedule: "The clock that repeats it, as cron expression; null for a job that runs once",
    payload: "What it was given; texts other than ids and kinds are masked",
  },
);
export const JobList = list(JobRead);
export const JobPage = answer(
  "InstanceJobPage",
  { jobs: list(JobRead), total: integer() },
  { jobs: "The jobs, the next one first", total: "Number of jobs that match" },
);

const jobName = () => optional(field(text(100), "Only jobs of this name"));
export const NameQuery = { name: jobName() };
export const JobQuery = {
  name: jobName(),
  state: optional(field(choice([...STATES]), "Only jobs in this state")),
  limit: optional(field(integer(1, 1000, { default: 50 }), "Most jobs to list")),
};

export const RetryDead = input(
  "InstanceRetryDead",
  { name: optional(nullable(text(100))) },
  { name: "Only jobs of this name; null or absent for all" },
);
