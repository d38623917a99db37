import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import type { Job } from "./messages.ts";

const ROOT = path.join(import.meta.dirname, "../../..");

/** How test files use a service, in the order they run: files of one kind run consecutively, so that few services start. */
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
/** How many parts a file is split into at most: each part fills two organisations. */
const MOST_PARTS = 3;
type Kind = keyof typeof KINDS;
const ORDER: readonly Kind[] = ["alone", "proofs", "systems", "world", "own", "clock", "shared", "rules"];
const SHARING: readonly Kind[] = ["proofs", "world", "clock", "shared"];

/**
 * Creates the jobs for these files, in an order that keeps every process busy to the end: by kind, and long ones first. A file that tests
 * every operation runs in parts, each with some of the modules.
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
