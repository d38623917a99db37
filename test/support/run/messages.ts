/** What one test file came to. */
export interface FileResult {
  file: string;
  passed: number;
  failed: number;
  skipped: number;
  /** Milliseconds from its loading to its last hook. */
  took: number;
  /** Milliseconds of it spent in hooks. */
  hooks: number;
  /** Milliseconds of processor time of its process, PostgreSQL's and other processes' not counted. */
  cpu: number;
  /** The failures as mocha words them, with the difference of what was expected. */
  report: string;
}

/** From the pool to a worker: run this file, or, without one, clean up and end. `shares`: it uses what files before it left running. */
export type Order = { file: string | null; shares: boolean };

/** From a worker to the pool: a test has begun, for a word about a file that never ends, or a file is done. */
export type Word = { began: string } | { done: FileResult };
