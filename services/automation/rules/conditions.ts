import { isDeepStrictEqual } from "node:util";
import { Decimal } from "decimal.js";

/** The comparisons of a field (platform chapter §2.3). */
const OPERATORS = ["eq", "ne", "in", "contains", "gt", "lt"] as const;
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
const MOST_NODES = 50;

/** The values of a record and its event, by field. */
export type Facts = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isScalar = (value: unknown): value is Scalar => value === null || ["string", "number", "boolean"].includes(typeof value);
const isOperator = (value: unknown): value is Operator => OPERATORS.some((operator) => operator === value);
const hasKeys = (node: object, ...keys: readonly string[]): boolean =>
  Object.keys(node).length === keys.length && keys.every((key) => Object.hasOwn(node, key));

function isComparison(node: Record<string, unknown>): boolean {
  if (!hasKeys(node, "field", "op", "value")) return false;
  const { field, op, value } = node;
  if (typeof field !== "string" || field === "" || !isOperator(op)) return false;
  if (Array.isArray(value)) return value.every(isScalar);
  return isScalar(value) && op !== "in";
}

/**
 * Whether a value is a tree of conditions: each node exactly `{}`, a comparison, `{all: […]}` or `{any: […]}`, at most five levels below
 * the root and fifty nodes. Never throws.
 */
export function areConditions(tree: unknown): tree is Conditions {
  // Iterates by level, so that deep input cannot overflow the stack.
  let [level, count]: [unknown[], number] = [[tree], 0];
  for (let depth = 0; level.length > 0; depth += 1) {
    count += level.length;
    if (depth > DEEPEST || count > MOST_NODES) return false;
    const below: unknown[] = [];
    for (const node of level) {
      if (!isRecord(node)) return false;
      if (hasKeys(node) || isComparison(node)) continue;
      const group = hasKeys(node, "all") ? node["all"] : hasKeys(node, "any") ? node["any"] : null;
      if (!Array.isArray(group)) return false;
      below.push(...group.slice(0, MOST_NODES + 1));
    }
    level = below;
  }
  return true;
}

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
