import { readFileSync } from "node:fs";
import type { Tier } from "../tier.ts";
import type { MostMemory } from "./memory.ts";
import { nameOf, type Result } from "./messages.ts";
import { sums, type Tally } from "./tally.ts";

const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`;

/** One line per finished job: elapsed time, and processor time of its processes. */
export function lineOf({ job, passed, failed, skipped, took, cpu }: Result): string {
  const counts = [`${String(passed).padStart(4)} passed`, failed > 0 && `${failed} FAILED`, skipped > 0 && `${skipped} skipped`];
  return `${seconds(took).padStart(8)} ${seconds(cpu).padStart(8)}  ${counts.filter(Boolean).join(", ")}  ${nameOf(job)}\n`;
}

const proofLine = ({ proof, touched, excepted }: Tally): string =>
  `  proof: ${String(touched).padStart(4)} operations: ${proof}${excepted.map((one) => `\n         excepted: ${one}`).join("")}\n`;

/** What the summary says of the run as a whole. */
export interface RunFigures {
  tier: Tier;
  /** Milliseconds of the run. */
  took: number;
  /** Processor time of the shared PostgreSQL in milliseconds. */
  postgres: number;
  memory: MostMemory;
  /** Declared names that no test of the whole suite produced, one line each: each is a failure. */
  missing?: readonly string[];
  /** Files that did not fit into the time. */
  left?: readonly string[];
}

/** Formats the failures, the slowest files, where the time went, and the final count. */
export function summaryOf(
  results: readonly Result[],
  { tier, took, postgres, memory, missing = [], left = [] }: RunFigures,
): { text: string; failed: number } {
  const sum = (key: "passed" | "failed" | "skipped" | "hooks" | "cpu" | "took") =>
    results.reduce((total, result) => total + result[key], 0);
  const slowest = [...results].sort((one, other) => other.took - one.took).slice(0, 10);
  const reports = results.filter(({ failed }) => failed > 0).map(({ job, report }) => `\n${nameOf(job)}${report}\n`);
  const proofs = sums(results.flatMap(({ tallies }) => tallies));
  // Narrowed to one module's paths, some proofs have no operation; in a whole run every proof must touch one.
  const idle = proofs
    .filter(({ touched }) => touched === 0 && process.env["PROOF_PATHS"] === undefined)
    .map(({ proof }) => `\n${proof}: not a single operation was touched\n`);
  const failed = sum("failed") + idle.length + missing.length;
  const skipped = sum("skipped");
  const files = new Set(results.map(({ job }) => job.file)).size;
  const leftOut = results.flatMap(({ job, leftOut }) => (leftOut === null ? [] : [`${nameOf(job)}: ${leftOut}`]));
  const lines = [
    proofs.length > 0 && `\n${proofs.map(proofLine).join("")}`,
    ...reports,
    ...idle,
    missing.length > 0 && `\n${missing.join("\n")}\n`,
    results.length > 1 && `\nThe slowest files\n${slowest.map(lineOf).join("")}`,
    leftOut.length > 0 && `\nNot on the cluster: ${leftOut.length} of ${results.length} files\n  ${leftOut.join("\n  ")}\n`,
    left.length > 0 && `\nNot run, as the time was over: ${left.length} files\n  ${left.join("\n  ")}\n`,
    `\n${tier === "all" ? "Both tiers" : "First tier"}: ${files} files in ${seconds(took)}, of it hooks ${seconds(sum("hooks"))}. `,
    `Processor time: tests ${seconds(sum("cpu"))}, PostgreSQL ${seconds(postgres)}. `,
    `Largest memory: processes ${memory.processes} MiB, their files ${memory.files} MiB.\n`,
    skipped > 0 && `${skipped} skipped\n`,
    `${sum("passed")} passed, ${failed} failed\n`,
  ];
  return { text: lines.filter(Boolean).join(""), failed };
}

/** Processor time in milliseconds of a process and its ended children; 0 if the system does not report it. */
export function processorTime(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    // utime, stime, cutime and cstime of proc(5), in hundredths of a second.
    return fields.slice(11, 15).reduce((total, field) => total + Number(field), 0) * 10;
  } catch {
    return 0;
  }
}
