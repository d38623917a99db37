import { LRUCache } from "lru-cache";
import type { RE2JS } from "re2js";
import { later } from "../values/later.ts";

const re2 = later<typeof import("re2js")>("re2js");

/** Maximum characters of a pattern. */
const LONGEST = 1_000;
/** Maximum instructions of a compiled pattern: `[A-Z]{2}` has two, and `(a{20}){20}` four hundred. */
const LARGEST = 250;
/**
 * Maximum work of the patterns of one record, in instructions times characters. A step takes at most 0.3 µs, so the worst possible record
 * costs the node 60 ms, and a normal one far less.
 */
export const PATTERN_WORK = 200_000;

/** The remaining work for comparing the values of one record, shared by all its fields. */
export interface PatternBudget {
  left: number;
}

/** A named back reference, which the translation would read as the letter k. */
const BACK_REFERENCE = /(?<!\\)(?:\\\\)*\\k/;

/** Compiled patterns by source; null for an unsupported one. */
const compiled = new LRUCache<string, { pattern: RE2JS | null }>({ max: 500 });

function compile(source: string): RE2JS | null {
  if (source.length > LONGEST || BACK_REFERENCE.test(source)) return null;
  try {
    // Checks the source alone first: `a)(b`, for example, becomes valid only inside the added brackets.
    new RegExp(source, "u");
    const { RE2JS } = re2();
    const pattern = RE2JS.compile(RE2JS.translateRegExp(`^(?:${source})$`));
    return pattern.programSize() > LARGEST ? null : pattern;
  } catch {
    return null;
  }
}

function patternOf(source: string): RE2JS | null {
  let known = compiled.get(source);
  if (!known) compiled.set(source, (known = { pattern: compile(source) }));
  return known.pattern;
}

/**
 * Whether values can be compared with a pattern: a regular expression (ECMAScript, Unicode) without back references and look-arounds, which
 * RE2 can run. RE2's time is linear in the value, so an administrator of one organisation cannot slow down the others with a pattern.
 */
export const isPattern = (source: string): boolean => patternOf(source) !== null;

/**
 * Whether a pattern matches the whole value. An invalid stored pattern (`isPattern`; a migration has reported it) accepts everything.
 * @returns null if comparing the value exceeds the budget
 */
export function matchesWhole(source: string, value: string, budget: PatternBudget = { left: PATTERN_WORK }): boolean | null {
  const pattern = patternOf(source);
  if (!pattern) return true;
  budget.left -= pattern.programSize() * value.length;
  return budget.left < 0 ? null : pattern.matches(value);
}
