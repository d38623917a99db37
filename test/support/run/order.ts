import { readFileSync, statSync } from "node:fs";
import path from "node:path";

const ROOT = path.join(import.meta.dirname, "../../..");
const textOf = (file: string): string => readFileSync(path.join(ROOT, file), "utf8");

/** What test files do about a service, in the order they run in: those of one kind after one another, so that few services start. */
const KINDS = {
  systems: (file: string) => /^test\/(system|start)\/|\/proofs\//.test(file),
  own: (file: string) => /\bstart(Leave)?(Service|World)\(/.test(textOf(file)),
  clock: (file: string) => /\bshared(LeaveService\(|Service\("clock"\))/.test(textOf(file)),
  shared: (file: string) => /\bsharedService\(/.test(textOf(file)),
  rules: () => true,
};
type Kind = keyof typeof KINDS;

const kindOf = (file: string): Kind => (Object.keys(KINDS) as Kind[]).find((kind) => KINDS[kind](file)) as Kind;

/** Whether a file uses the service that files before it in its process have left running. */
export const shares = (file: string): boolean => ["clock", "shared"].includes(kindOf(file));

/** The files in the order in which they keep every process busy to the end: by kind, and in each kind the long ones first. */
export function ordered(files: readonly string[]): string[] {
  const kinds = Object.keys(KINDS);
  const known = files.map((file) => ({ file, kind: kinds.indexOf(kindOf(file)), size: statSync(path.join(ROOT, file)).size }));
  return known.sort((one, other) => one.kind - other.kind || other.size - one.size).map(({ file }) => file);
}
