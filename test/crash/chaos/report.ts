import type { ChaosOutcome } from "./chaos.ts";
import type { Course } from "./probes.ts";

/** The longest recovery by what was ended, in milliseconds. */
const BARS: readonly [RegExp, number][] = [
  [/^a (worker|gateway) is (killed|stopped)/, 5000],
  [/^PostgreSQL is killed/, 10_000],
];
const SHOWN = 20;

export const isWhole = ({ lost, twice, leaked, other }: ChaosOutcome): boolean =>
  [lost, twice, leaked, other].every((found) => found.length === 0);

const secondsOf = (ms: number): string => (ms / 1000).toFixed(1);

function courseLine({ fault, probes, failed, recovery, refusal, longest }: Course): string {
  const bar = BARS.find(([name]) => name.test(fault.name))?.[1] ?? Number.POSITIVE_INFINITY;
  const isMissed = recovery === null ? bar < Number.POSITIVE_INFINITY : recovery > bar;
  return [
    `  ${fault.name.padEnd(38)}`,
    `lasted ${secondsOf(fault.over - fault.began).padStart(5)} s`,
    `recovered after ${(recovery === null ? "?" : secondsOf(recovery)).padStart(5)} s${isMissed ? " MISSED" : ""}`,
    `${String(failed).padStart(4)} of ${String(probes).padStart(4)} probes failed`,
    `longest refusal ${secondsOf(refusal)} s, longest answer ${secondsOf(longest)} s`,
  ].join("  ");
}

/** A short report for people. */
export function chaosReport(outcome: ChaosOutcome): string {
  const { plan, courses, writes, answered, repeated, files, seconds, lost, twice, leaked, other } = outcome;
  const found = { lost, twice, leaked, other };
  return [
    `chaos    seed ${plan.seed}: ${plan.clients} clients of ${plan.organisations} organisations, ${plan.minutes} min, ${courses.length} faults; ` +
      `${writes} writes acknowledged, ${answered} calls answered, ${repeated} made again  (${seconds} s)`,
    ...courses.map(courseLine),
    `  ${lost.length} lost, ${twice.length} twice, ${leaked.length} leaked, ${other.length} unexplained; ${files} files in the data folder`,
    ...Object.entries(found).flatMap(([kind, sentences]) =>
      sentences.slice(0, SHOWN).map((sentence) => `    ${kind}: ${sentence}`),
    ),
  ].join("\n");
}
