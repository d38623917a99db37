import { parseArgs } from "node:util";
import type { Wanted } from "./selection.ts";

/** What a run is asked for. */
export interface CommandLine extends Wanted {
  /** The share of the files to run: `index` of `of`, from 1. */
  shard: { index: number; of: number };
  /** Milliseconds after which no other file begins. */
  within: number | undefined;
  /** The file that gets the names that the tests produced, for `npm run test:seen`. */
  seen: string | undefined;
}

const OPTIONS = {
  all: { type: "boolean", default: false },
  changed: { type: "boolean", default: false },
  rest: { type: "boolean", default: false },
  shard: { type: "string", default: "1/1" },
  within: { type: "string" },
  seen: { type: "string" },
} as const;

/**
 * Reads the command line of `npm test`.
 * @throws Error with a sentence for an option that is unknown or has no valid value
 */
export function readCommandLine(words: readonly string[]): CommandLine {
  const { values, positionals } = parseArgs({ args: [...words], options: OPTIONS, allowPositionals: true });
  const [index = 0, of = 0] = /^[1-9]\d*\/[1-9]\d*$/.test(values.shard) ? values.shard.split("/").map(Number) : [];
  if (index < 1 || index > of) throw new Error(`--shard is '${values.shard}', not a share such as 2/6`);
  if (values.within !== undefined && !/^[1-9]\d*$/.test(values.within))
    throw new Error(`--within is '${values.within}', not a number of seconds`);
  return {
    words: positionals,
    tier: values.all || values.rest ? "all" : "first",
    changed: values.changed,
    rest: values.rest,
    shard: { index, of },
    within: values.within === undefined ? undefined : Number(values.within) * 1000,
    seen: values.seen,
  };
}

/** The files of one share: every `of`-th, so that each has some of every kind. */
export const shareOf = <T>(files: readonly T[], { index, of }: CommandLine["shard"]): T[] =>
  files.filter((_, at) => at % of === index - 1);
