import { Misunderstood } from "../simulator.ts";

/** A parsed query. The checker has already validated its fields. */
export interface Gaql {
  select: string[];
  from: string;
  where: Condition[];
  order: { field: string; isDescending: boolean }[];
  limit: number | null;
}

export interface Condition {
  field: string;
  operator: string;
  values: string[];
}

const CLAUSES =
  /^\s*SELECT\s+([\s\S]+?)\s+FROM\s+(\w+)(?:\s+WHERE\s+([\s\S]+?))?(?:\s+ORDER\s+BY\s+([\s\S]+?))?(?:\s+LIMIT\s+(\d+))?(?:\s+PARAMETERS\s+[\s\S]+)?\s*$/i;
const LITERAL = /'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(-?[\w.]+)/g;
const CONDITION =
  /^\s*([\w.]+)\s*(=|!=|>=|<=|>|<|NOT IN|IN|BETWEEN|NOT LIKE|LIKE|IS NOT NULL|IS NULL|CONTAINS ANY|CONTAINS ALL|CONTAINS NONE)\s*([\s\S]*)$/i;

const literals = (text: string): string[] =>
  [...text.matchAll(LITERAL)].map(([, one, two, bare]) => (one ?? two ?? bare ?? "").replace(/\\(.)/g, "$1"));

/** Splits conditions at `AND`, except inside quotes and `BETWEEN`. */
function conditionsOf(text: string): string[] {
  const quoted: string[] = [];
  const bare = text.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g, (found) => `§${quoted.push(found) - 1}§`);
  const joined = bare.replace(/\bBETWEEN\s+(\S+)\s+AND\s+(\S+)/gi, "BETWEEN $1 , $2");
  return joined.split(/\s+AND\s+/i).map((one) => one.replace(/§(\d+)§/g, (_, at) => quoted[Number(at)] as string));
}

/** @throws Misunderstood for syntax this simulator does not execute */
export function readGaql(text: string): Gaql {
  const [, select = "", from = "", where, order, limit] = CLAUSES.exec(text) ?? [];
  if (from === "") throw new Misunderstood(`no query: ${text}`);
  return {
    select: select.split(",").map((field) => field.trim()),
    from: from.toLowerCase(),
    where: (where === undefined ? [] : conditionsOf(where)).map((one) => {
      const [, field = "", operator = "", rest = ""] = CONDITION.exec(one) ?? [];
      if (field === "") throw new Misunderstood(`a condition that is not executed: ${one}`);
      const plain = operator.toUpperCase().replace(/\s+/g, " ");
      const values = literals(plain === "BETWEEN" ? rest.replace(/\bAND\b/i, ",") : rest);
      return { field, operator: plain, values };
    }),
    order: (order ?? "")
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one !== "")
      .map((one) => {
        const [field = "", direction = "ASC"] = one.split(/\s+/);
        return { field, isDescending: direction.toUpperCase() === "DESC" };
      }),
    limit: limit === undefined ? null : Number(limit),
  };
}

const isNumber = (value: unknown) => value !== null && value !== "" && !Number.isNaN(Number(value));

/** -1, 0 or 1: compares as numbers if both are, else as text; TRUE and FALSE in any case. */
export function compare(one: unknown, other: unknown): number {
  if (typeof one === "boolean") return String(one) === String(other).toLowerCase() ? 0 : 1;
  if (isNumber(one) && isNumber(other)) return Math.sign(Number(one) - Number(other));
  const text = (value: unknown) => (typeof one === "boolean" ? String(value).toUpperCase() : String(value ?? ""));
  const [a, b] = [text(one), text(other)];
  return a < b ? -1 : a > b ? 1 : 0;
}

const like = (value: string, pattern: string) =>
  new RegExp(
    `^${pattern
      .replace(/[.*+?^$(){}|\\]/g, "\\$&")
      .replaceAll("%", ".*")
      .replaceAll("_", ".")}$`,
    "is",
  ).test(value);

/** Whether a value meets a condition. An absent value meets only `IS NULL` and negated conditions. */
export function meets(value: unknown, { operator, values }: Condition): boolean {
  const [first = "", second = ""] = values;
  const isAbsent = value === undefined || value === null;
  const list: unknown[] = Array.isArray(value) ? value : [];
  switch (operator) {
    case "IS NULL":
      return isAbsent;
    case "IS NOT NULL":
      return !isAbsent;
    case "!=":
      return isAbsent || compare(value, first) !== 0;
    case "NOT IN":
      return isAbsent || !values.some((one) => compare(value, one) === 0);
    case "NOT LIKE":
      return isAbsent || !like(String(value), first);
    case "CONTAINS NONE":
      return !values.some((one) => list.includes(one));
  }
  if (isAbsent) return false;
  switch (operator) {
    case "=":
      return compare(value, first) === 0;
    case ">":
      return compare(value, first) > 0;
    case "<":
      return compare(value, first) < 0;
    case ">=":
      return compare(value, first) >= 0;
    case "<=":
      return compare(value, first) <= 0;
    case "IN":
      return values.some((one) => compare(value, one) === 0);
    case "BETWEEN":
      return compare(value, first) >= 0 && compare(value, second) <= 0;
    case "LIKE":
      return like(String(value), first);
    case "CONTAINS ANY":
      return values.some((one) => list.includes(one));
    case "CONTAINS ALL":
      return values.every((one) => list.includes(one));
    default:
      throw new Misunderstood(`an operator that is not executed: ${operator}`);
  }
}
