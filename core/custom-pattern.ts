import { createContext, Script } from "node:vm";

/** Longest time one pattern may look at one value, in milliseconds. */
const PATIENCE = 50;

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
  try {
    return TEST.runInContext(room, { timeout: PATIENCE }) === true;
  } catch {
    return false;
  }
}
