import { globSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DEEP } from "../tier.ts";

const ROOT = path.join(import.meta.dirname, "../../..");
const RECORD = path.join(import.meta.dirname, "services.json");

/** How a test file gets its service: it starts its own, or shares one; "parts" shares the world and can run in parts. */
export const USES = ["parts", "world", "own", "clock", "plain"] as const;
export type Use = (typeof USES)[number];
/** Test files by use; a file that uses no service stands in none. */
type Record = { [use in Use]: readonly string[] };

/** The path of a test file without its tier, by which it is recorded: a move from one tier to the other changes no use. */
export const baseOf = (file: string): string => (file.endsWith(DEEP) ? `${file.slice(0, -DEEP.length)}.test.ts` : file);

/** The use of each test file as earlier runs recorded it. It decides the order of files only, so an outdated line costs a start. */
export function recordedUses(): Map<string, Use> {
  const record = JSON.parse(readFileSync(RECORD, "utf8")) as Record;
  return new Map(USES.flatMap((use) => record[use].map((file): [string, Use] => [file, use])));
}

/**
 * Compares the uses of a run with the record, or writes them to it (`SERVICES_WRITE=1`).
 * @returns a line for the summary; none if they are equal or written
 */
export function reportUses(seen: ReadonlyMap<string, Use | null>, isWritten = process.env["SERVICES_WRITE"] === "1"): string {
  const recorded = recordedUses();
  const other = [...seen].filter(([file, use]) => (recorded.get(baseOf(file)) ?? null) !== use).map(([file]) => file);
  if (other.length === 0) return "";
  const name = path.relative(ROOT, RECORD);
  if (!isWritten)
    return `\n${name} orders ${other.length} files by another service than they use (SERVICES_WRITE=1 mends it): ${other.join(", ")}\n`;
  const files = new Set(globSync("test/**/*.test.ts", { cwd: ROOT }).map(baseOf));
  const all = [...recorded, ...[...seen].map(([file, use]): [string, Use | null] => [baseOf(file), use])];
  const now = new Map<string, Use | null>(all.filter(([file]) => files.has(file)));
  const record = Object.fromEntries(USES.map((use) => [use, [...now.keys()].filter((file) => now.get(file) === use).sort()]));
  writeFileSync(RECORD, `${JSON.stringify(record, null, 2)}\n`);
  return "";
}
