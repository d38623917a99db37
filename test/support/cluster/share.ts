import { globSync } from "node:fs";
import path from "node:path";
import { selected } from "../run/selection.ts";
import { baseOf, recordedUses, type Use } from "../run/services.ts";

const ROOT = path.join(import.meta.dirname, "../../..");
const FILES = "test/api/**/*.test.ts";

/** How many files a run takes by the service they use. Each kind starts another cluster, and each file with its own service one more. */
const SHARE: Partial<Record<Use, number>> = { plain: 36, clock: 6, own: 2 };
/** How many of them are those that the change can break. */
const CHANGED = 12;

/** API tests of the first tier by the service they use. */
export function filesByUse(): Map<Use, string[]> {
  const uses = recordedUses();
  const files = globSync(FILES, { cwd: ROOT }).filter((file) => !file.endsWith(".deep.test.ts"));
  const known = files.flatMap((file) => {
    const use = uses.get(baseOf(file));
    return use ? [{ file, use }] : [];
  });
  return new Map([...Map.groupBy(known, ({ use }) => use)].map(([use, group]) => [use, group.map(({ file }) => file).sort()]));
}

/** The items whose turn it is: about as many as wanted, so that successive turns take each item once. */
export function inTurn<T>(items: readonly T[], wanted: number, turn: number): T[] {
  const turns = Math.max(1, Math.ceil(items.length / wanted));
  return items.filter((_, at) => at % turns === turn % turns);
}

/**
 * The API tests that a run of the second tier repeats on a cluster: those that the change can break first, then others that change from day
 * to day.
 * @param day since 1970
 * @param times how often the usual number
 */
export function clusterShare(day: number, times: number): string[] {
  const files = filesByUse();
  const ofChange = selected({ words: [], tier: "first", changed: true, rest: false });
  return Object.entries(SHARE).flatMap(([use, count]) => {
    const all = files.get(use as Use) ?? [];
    const first = ofChange.filter((file) => all.includes(file)).slice(0, Math.ceil((CHANGED * count * times) / 44));
    const left = all.filter((file) => !first.includes(file));
    return [...first, ...inTurn(left, count * times - first.length, day)];
  });
}
