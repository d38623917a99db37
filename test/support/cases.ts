import { tier } from "./tier.ts";

/** Cases of a property in the first tier, unless the test names another number. */
const FIRST = 100;
/** Any number will do. It stays the same, so that a run of the first tier turns red by a change of the code and never by chance. */
const SEED = 20_260_101;

/**
 * The parameters of a property test: in the first tier the same few cases in every run, in the second `all` random ones. A failure of
 * either prints its seed.
 */
export const cases = (all: number, first = FIRST): { numRuns: number; seed?: number } =>
  tier() === "all" ? { numRuns: all } : { numRuns: Math.min(first, all), seed: SEED };
