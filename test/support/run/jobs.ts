import { statSync } from "node:fs";
import path from "node:path";
import type { Job } from "./messages.ts";
import { baseOf, recordedUses, type Use } from "./services.ts";

const ROOT = path.join(import.meta.dirname, "../../..");
/** How many parts a file is split into at most: each part fills two organisations. */
const MOST_PARTS = 3;
/** Files of one use run consecutively, so that few services start; long uses first. */
type Kind = Use | "systems" | "none";
const ORDER: readonly Kind[] = ["parts", "world", "systems", "own", "clock", "plain", "none"];
const SHARING: ReadonlySet<Kind> = new Set(["parts", "world", "clock", "plain"]);

/**
 * Creates the jobs for these files, in an order that keeps every process busy to the end: by the service they use, and long ones first. A
 * file that tests every operation runs in parts, each with some of the modules.
 * @param isSorted whether the files keep the order given
 */
export function jobsOf(files: readonly string[], workers: number, isSorted = false): Job[] {
  const uses = recordedUses();
  const known = files.map((file) => {
    const use: Kind = /^test\/(system|start)\//.test(file) ? "systems" : (uses.get(baseOf(file)) ?? "none");
    return { file, use, parts: workers > 1 && use === "parts" ? MOST_PARTS : 1, size: statSync(path.join(ROOT, file)).size };
  });
  if (!isSorted) known.sort((one, other) => ORDER.indexOf(one.use) - ORDER.indexOf(other.use) || other.size - one.size);
  return known.flatMap(({ file, use, parts }) =>
    Array.from({ length: parts }, (_, index): Job => ({ file, part: { index, of: parts }, shares: SHARING.has(use) })),
  );
}
