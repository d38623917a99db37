import { isDeepStrictEqual } from "node:util";
import { Decimal } from "decimal.js";
import { nearestNames } from "../../../core/config/nearest-name.ts";

/** The comparisons of a field (platform chapter §2.3). */
export const OPERATORS = ["eq", "ne", "in", "contains", "gt", "lt"] as const;
type Operator = (typeof OPERATORS)[number];

type Scalar = string | number | boolean | null;

/** A tree of conditions: `{}`, a comparison of a field, or a group. Validate it with `areConditions` before evaluating it. */
export interface Conditions {
  readonly field?: string;
  readonly op?: Operator;
  readonly value?: Scalar | readonly Scalar[];
  readonly all?: readonly Conditions[];
  readonly any?: readonly Conditions[];
}

/** Maximum levels below the root, and maximum number of nodes, groups included. */
const DEEPEST = 5;
export const MOST_NODES = 50;

/** The values of a record and its event, by field. */
export type Facts = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isScalar = (value: unknown): value is Scalar => value === null || ["string", "number", "boolean"].includes(typeof value);
const isOperator = (value: unknown): value is Operator => OPERATORS.some((operator) => operator === value);

/** An error in a tree: its location below the root, such as `all.0.op`, and the nearest valid name, the type or the limit there. */
export interface ConditionFault {
  at: string;
  expected: string | number;
}

/** The keys of every kind of node. */
const KEYS = ["field", "op", "value", "all", "any"];
const GROUPS = ["all", "any"];

function valueFault(op: Operator, value: unknown): ConditionFault | null {
  if (!Array.isArray(value))
    return op !== "in" && isScalar(value) ? null : { at: "value", expected: op === "in" ? "array" : "scalar" };
  const wrong = value.findIndex((one) => !isScalar(one));
  return wrong === -1 ? null : { at: `value.${wrong}`, expected: "scalar" };
}

function comparisonFault({ field, op, value }: Record<string, unknown>): ConditionFault | null {
  if (typeof field !== "string" || field === "") return { at: "field", expected: "string" };
  if (isOperator(op)) return valueFault(op, value);
  const near = typeof op === "string" ? nearestNames([["op", op]], OPERATORS)["op"] : undefined;
  return { at: "op", expected: near ?? "string" };
}

/** The error of one node, without those of the nodes below it. */
function faultOf(node: unknown): ConditionFault | null {
  if (!isRecord(node)) return { at: "", expected: "object" };
  const keys = Object.keys(node);
  const unknown = keys.find((key) => !KEYS.includes(key));
  if (unknown !== undefined) {
    const near = nearestNames([["", unknown]], KEYS)[""];
    return near === undefined ? { at: "", expected: "object" } : { at: unknown, expected: near };
  }
  const group = keys.find((key) => GROUPS.includes(key));
  if (group === undefined) return keys.length === 0 ? null : comparisonFault(node);
  const second = keys.find((key) => key !== group);
  if (second !== undefined) return { at: second, expected: "nothing" };
  return Array.isArray(node[group]) ? null : { at: group, expected: "array" };
}

const joined = (...parts: readonly (string | number)[]): string => parts.filter((part) => part !== "").join(".");

/**
 * The first error of a tree of conditions, null if it has none: each node exactly `{}`, a comparison, `{all: […]}` or `{any: […]}`, at most
 * five levels below the root and fifty nodes. Never throws.
 */
export function conditionFault(tree: unknown): ConditionFault | null {
  // Iterates by level, so that deep input cannot overflow the stack.
  let [level, count]: [(readonly [at: string, node: unknown])[], number] = [[["", tree]], 0];
  for (let depth = 0; level.length > 0; depth += 1) {
    count += level.length;
    if (depth > DEEPEST) return { at: level[0]?.[0] ?? "", expected: DEEPEST };
    if (count > MOST_NODES) return { at: "", expected: MOST_NODES };
    const below: (readonly [string, unknown])[] = [];
    for (const [at, node] of level) {
      const fault = faultOf(node);
      if (fault) return { ...fault, at: joined(at, fault.at) };
      const { all, any } = node as { all?: unknown[]; any?: unknown[] };
      const [key, group = []] = all ? ["all", all] : ["any", any];
      below.push(...group.slice(0, MOST_NODES + 1).map((one, index) => [joined(at, key, index), one] as const));
    }
    level = below;
  }
  return null;
}

/** The fields that a valid tree compares, each with its location below the root, such as `all.0.field`. */
export function comparedFields({ field, all, any }: Conditions, at = ""): (readonly [at: string, field: string])[] {
  if (field !== undefined) return [[joined(at, "field"), field]];
  const key = all ? "all" : "any";
  return (all ?? any ?? []).flatMap((one, index) => comparedFields(one, joined(at, key, index)));
}

/** Whether a value is a valid tree of conditions. */
export const areConditions = (tree: unknown): tree is Conditions => conditionFault(tree) === null;

const NUMERIC = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?$/i;

/** A value as an exact number, or null: numeric text counts, a boolean does not. */
function numeric(value: unknown): Decimal | null {
  if (typeof value === "number") return Number.isFinite(value) ? new Decimal(value) : null;
  return typeof value === "string" && NUMERIC.test(value.trim()) ? new Decimal(value.trim()) : null;
}

/** Deeply equal, or equal as numbers. */
function equal(one: unknown, other: unknown): boolean {
  if (isDeepStrictEqual(one, other)) return true;
  const [number, otherNumber] = [numeric(one), numeric(other)];
  return number !== null && otherNumber !== null && number.eq(otherNumber);
}

/** Negative if the first value comes first, as numbers or else as strings; null for values without an order. */
function order(one: unknown, other: unknown): number | null {
  const [number, otherNumber] = [numeric(one), numeric(other)];
  if (number && otherNumber) return number.cmp(otherNumber);
  if (typeof one !== "string" || typeof other !== "string") return null;
  return one < other ? -1 : Number(one > other);
}

function contains(held: unknown, value: unknown): boolean {
  if (Array.isArray(held)) return held.some((one) => equal(one, value));
  return typeof held === "string" && typeof value === "string" && held.toLowerCase().includes(value.toLowerCase());
}

const COMPARE: Readonly<Record<Operator, (held: unknown, value: unknown) => boolean>> = {
  eq: equal,
  ne: (held, value) => !equal(held, value),
  in: (held, value) => Array.isArray(value) && value.some((one) => equal(held, one)),
  contains,
  gt: (held, value) => (order(held, value) ?? 0) > 0,
  lt: (held, value) => (order(held, value) ?? 0) < 0,
};

/**
 * Whether the facts meet the conditions (platform chapter §2.3). A missing field is null. Never throws.
 * @param facts columns of the record overlaid with the payload of the event
 */
export function meets(facts: Facts, { field, op, value, all, any }: Conditions): boolean {
  if (all) return all.every((one) => meets(facts, one));
  if (any) return any.some((one) => meets(facts, one));
  if (field === undefined || op === undefined) return true;
  return COMPARE[op](Object.hasOwn(facts, field) ? (facts[field] ?? null) : null, value);
}
