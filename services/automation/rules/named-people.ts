import type { StoredAction } from "../models.ts";

/** SQL: whether the actions of rule `t` name an account. */
export const namesPerson = (slot: string): string => `strpos(lower(t.actions::text), ${slot}::text) > 0`;

/** A value of a configuration with one account in place of another, whatever the case of its letters. */
function replaced(value: unknown, from: string, to: string): unknown {
  if (typeof value === "string") return value.toLowerCase() === from ? to : value;
  if (Array.isArray(value)) return [...new Set(value.map((one) => replaced(one, from, to)))];
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, replaced(one, from, to)]));
}

/** Actions of a rule with one account in place of another. */
export const actionsFor = (actions: readonly StoredAction[], from: string, to: string): StoredAction[] =>
  actions.map((one) => ({ ...one, config: replaced(one.config, from, to) as StoredAction["config"] }));
