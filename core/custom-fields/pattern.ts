import { LRUCache } from "lru-cache";
import { RE2JS } from "re2js";

/** Most characters of a pattern. */
const LONGEST = 1_000;
/** Most instructions a pattern may compile to: `[A-Z]{2}` has two, and `(a{20}){20}` four hundred. */
const LARGEST = 250;
/**
 * Most work the patterns of one record may be, in instructions times characters. A step costs 0.3 µs at the most, so a record costs the
 * node 60 ms in the worst case that can be made, and far less than one in any that is meant well.
 */
export const PATTERN_WORK = 200_000;

/** What comparing the values of one record may still cost; one for all of its fields. */
export interface PatternBudget {
  left: number;
}

/** A named back reference: the translation would read it as the letter k. */
const BACK_REFERENCE = /(?<!\\)(?:\\\\)*\\k/;

/** Compiled patterns by source; null for one that the engine does not take. */
const compiled = new LRUCache<string, { pattern: RE2JS | null }>({ max: 500 });

function compile(source: string): RE2JS | null {
  if (source.length > LONGEST || BACK_REFERENCE.test(source)) return null;
  try {
    // By itself first: a source such as `a)(b` is a pattern only with the brackets around it.
    new RegExp(source, "u");
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
 * Whether a text is a pattern values can be compared with: a regular expression (ECMAScript, Unicode) that RE2 can run, so without back
 * references and look-arounds. Such a pattern takes time in proportion to the value whatever it is, so an administrator of one organisation cannot hold
 * up the others with one.
 */
export const isPattern = (source: string): boolean => patternOf(source) !== null;

/**
 * Whether a pattern describes the whole value. A stored one that is no pattern (`isPattern`; a migration has reported it) demands nothing.
 * @returns null when the value is too long to be compared within the budget
 */
export function matchesWhole(source: string, value: string, budget: PatternBudget = { left: PATTERN_WORK }): boolean | null {
  const pattern = patternOf(source);
  if (!pattern) return true;
  budget.left -= pattern.programSize() * value.length;
  return budget.left < 0 ? null : pattern.matches(value);
}
