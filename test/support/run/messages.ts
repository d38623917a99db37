import type { Part } from "./part.ts";
import type { Tally } from "./tally.ts";

/** A test file to run, or a part of what it does. */
export interface Job {
  file: string;
  part: Part;
  /** Whether it uses what the files before it in its process have left running. */
  shares: boolean;
}

/** What one job came to. */
export interface Result {
  job: Job;
  passed: number;
  failed: number;
  skipped: number;
  /** Milliseconds from its loading to its last hook. */
  took: number;
  /** Milliseconds of it spent in hooks. */
  hooks: number;
  /** Milliseconds of processor time of its process and of those it started and saw end; the PostgreSQL of all tests is not counted. */
  cpu: number;
  /** What its proofs touched. */
  tallies: Tally[];
  /** What its tests produced for the first time in their process. */
  seen: string[];
  /** The failures as mocha words them, with the difference of what was expected. */
  report: string;
}

/** From the pool to a worker: the next job; null: clean up and end. */
export type Order = Job | null;

/** From a worker to the pool: a test has begun, for a word about a job that never ends, or a job is done. */
export type Word = { began: string } | { done: Result };

export const emptyResult = (job: Job): Result => ({
  job,
  passed: 0,
  failed: 0,
  skipped: 0,
  took: 0,
  hooks: 0,
  cpu: 0,
  tallies: [],
  seen: [],
  report: "",
});

/** The job's file, and its part where it has several. */
export const nameOf = ({ file, part: { index, of } }: Job): string => (of > 1 ? `${file} (${index + 1} of ${of})` : file);
