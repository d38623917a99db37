import type { Part } from "./part.ts";
import type { Use } from "./services.ts";
import type { Tally } from "./tally.ts";

/** A test file to run, or a part of one. */
export interface Job {
  file: string;
  part: Part;
  /** Whether it uses what earlier files in its process left running. */
  shares: boolean;
}

/** The result of one job. */
export interface Result {
  job: Job;
  passed: number;
  failed: number;
  skipped: number;
  /** Why it does not run in the topology of the run; null if it does. */
  leftOut: string | null;
  /** Milliseconds from loading to the last hook. */
  took: number;
  /** Milliseconds of it spent in hooks. */
  hooks: number;
  /** Processor time in milliseconds of its process and the child processes that ended; excludes the shared PostgreSQL. */
  cpu: number;
  /** Operations its proofs touched. */
  tallies: Tally[];
  /** Names its tests produced for the first time in their process. */
  seen: string[];
  /** How it got its service; null without one. */
  use: Use | null;
  /** The failures as mocha prints them, with diffs. */
  report: string;
  /** Bytes of memory of its process after the job. */
  memory: number;
}

/** From the pool to a worker: the next job; null to clean up and exit. */
export type Order = Job | null;

/** From a worker to the pool: a test began, which identifies a job that hangs, or a job is done. */
export type Word = { began: string } | { done: Result };

export const emptyResult = (job: Job): Result => ({
  job,
  passed: 0,
  failed: 0,
  skipped: 0,
  leftOut: null,
  took: 0,
  hooks: 0,
  cpu: 0,
  tallies: [],
  seen: [],
  use: null,
  report: "",
  memory: 0,
});

/** The job's file, and its part if there are several. */
export const nameOf = ({ file, part: { index, of } }: Job): string => (of > 1 ? `${file} (${index + 1} of ${of})` : file);
