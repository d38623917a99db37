import { createContext, Script } from "node:vm";
import { LRUCache } from "lru-cache";

/** Longest time a pattern may look at a value, in milliseconds. */
const PATIENCE = 50;
/** The least that is left to one that never comes to an end; any other needs far less. */
const LEAST_PATIENCE = 5;
/**
 * What is left to the patterns that ran out of it within the last minute: half with each time, because an import shows one pattern thousands
 * of values in a row.
 */
const patience = new LRUCache<string, number>({ max: 1000, ttl: 60_000 });

const room = createContext(Object.create(null) as { pattern?: RegExp; value?: string });
const TEST = new Script("pattern.test(value)");

/** Whether a text is a regular expression (ECMAScript, Unicode). */
export function isPattern(source: string): boolean {
  try {
    new RegExp(source, "u");
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether a pattern describes the whole value. A pattern comes from an administrator of one organisation and the process serves them all,
 * so one that backtracks without end is stopped, and describes nothing.
 */
export function matchesWhole(source: string, value: string): boolean {
  room["pattern"] = new RegExp(`^(?:${source})$`, "u");
  room["value"] = value;
  const left = patience.get(source) ?? PATIENCE;
  try {
    return TEST.runInContext(room, { timeout: left }) === true;
  } catch {
    patience.set(source, Math.max(LEAST_PATIENCE, Math.floor(left / 2)));
    return false;
  }
}
