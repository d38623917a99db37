/**
 * Which tests a run has. A file whose name ends with `.deep.test.ts` belongs to the second tier: `npm test` leaves it out, `npm run test:all`
 * runs it. Any other file runs in both.
 */
export type Tier = "first" | "all";

/** Files of the second tier. */
export const DEEP = ".deep.test.ts";

/** The tier of this run. Without a runner it is the first. */
export const tier = (): Tier => (process.env["TEST_TIER"] === "all" ? "all" : "first");

/** The number of rounds of a test by the tier of the run: enough to notice a broken rule in `first`, the whole search in `all`. */
export const rounds = (first: number, all: number): number => (tier() === "all" ? all : first);
