import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import type { Job } from "./messages.ts";

const ROOT = path.join(import.meta.dirname, "../../..");

/** What test files do about a service, in the order they run in: those of one kind after one another, so that few services start. */
const KINDS = {
  systems: (file: string) => /^test\/(system|start)\//.test(file),
  proofs: (file: string, text: string) => file.includes("/proofs/") && /\b(shared|parted)World\(/.test(text),
  alone: (file: string) => file.includes("/proofs/"),
  own: (_: string, text: string) => /\bstart(Leave)?(Service|World)\(/.test(text),
  world: (_: string, text: string) => /\bsharedWorld\(/.test(text),
  clock: (_: string, text: string) => /\bshared((Agreement|Leave|Task)Service\(|Service\("clock"\))/.test(text),
  shared: (_: string, text: string) => /\bsharedService\(/.test(text),
  rules: () => true,
};
/** Parts of a file that may be run in parts: each fills two organisations of its own. */
const MOST_PARTS = 3;
type Kind = keyof typeof KINDS;
const ORDER: readonly Kind[] = ["alone", "proofs", "systems", "world", "own", "clock", "shared", "rules"];
const SHARING: readonly Kind[] = ["proofs", "world", "clock", "shared"];

/**
 * The jobs that run these files, in the order in which they keep every process busy to the end: by kind, and in each kind the long ones
 * first. A file that proves something of every operation is run in parts, each over some modules.
 */
export function jobsOf(files: readonly string[], workers: number): Job[] {
  const known = files.map((file) => {
    const text = readFileSync(path.join(ROOT, file), "utf8");
    const kind = (Object.keys(KINDS) as Kind[]).find((one) => KINDS[one](file, text)) as Kind;
    const parts = workers > 1 && /\bpartedWorld\(/.test(text) ? MOST_PARTS : 1;
    return { file, kind, parts, size: statSync(path.join(ROOT, file)).size };
  });
  known.sort((one, other) => ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind) || other.size - one.size);
  return known.flatMap(({ file, kind, parts }) =>
    Array.from({ length: parts }, (_, index): Job => ({ file, part: { index, of: parts }, shares: SHARING.includes(kind) })),
  );
}
