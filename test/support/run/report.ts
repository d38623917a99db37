import { readFileSync } from "node:fs";
import type { FileResult } from "./messages.ts";

const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1).padStart(6)} s`;

/** One line per file as it is done. */
export function lineOf({ file, passed, failed, skipped, took }: FileResult): string {
  const counts = [`${String(passed).padStart(4)} passed`, failed > 0 && `${failed} FAILED`, skipped > 0 && `${skipped} skipped`];
  return `${seconds(took)}  ${counts.filter(Boolean).join(", ")}  ${file}\n`;
}

/** The failures, the slowest files, where the time went, and the count that ends every run. */
export function summaryOf(results: readonly FileResult[], took: number, postgres: number): string {
  const sum = (key: "passed" | "failed" | "skipped" | "hooks" | "cpu" | "took") =>
    results.reduce((total, result) => total + result[key], 0);
  const slowest = [...results].sort((one, other) => other.took - one.took).slice(0, 10);
  const failures = results.filter(({ failed }) => failed > 0).map(({ file, report }) => `\n${file}${report}\n`);
  const skipped = sum("skipped");
  return [
    ...failures,
    results.length > 1 && `\nThe slowest files\n${slowest.map((result) => lineOf(result)).join("")}`,
    `\n${seconds(took).trim()}; the files ${seconds(sum("took")).trim()}, of it hooks ${seconds(sum("hooks")).trim()}. `,
    `Processor time: tests ${seconds(sum("cpu")).trim()}, PostgreSQL ${seconds(postgres).trim()}.\n`,
    skipped > 0 && `${skipped} skipped\n`,
    `${sum("passed")} passed, ${sum("failed")} failed\n`,
  ]
    .filter(Boolean)
    .join("");
}

/** Milliseconds of processor time of a process and of those it has started that ended; 0 where the system does not say. */
export function processorTime(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    // utime, stime, cutime and cstime of proc(5), in hundredths of a second.
    return fields.slice(11, 15).reduce((total, field) => total + Number(field), 0) * 10;
  } catch {
    return 0;
  }
}
