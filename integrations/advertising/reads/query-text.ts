import { isDate } from "../../../core/calendar/dates.ts";

/** A condition built in this file; it contains no caller input. */
export type Condition = string & { readonly of: unique symbol };

/** A query in the provider's query language. */
export interface AdsQuery {
  from: string;
  select: readonly string[];
  where?: readonly Condition[];
  orderBy?: string;
  limit?: number;
}

const condition = (text: string) => text as Condition;
const FIELD = /^[a-z_]+(\.[a-z_]+)+$/;
const VALUE = /^[A-Z_]+$/;

function field(name: string): string {
  if (!FIELD.test(name)) throw new TypeError(`not a field: ${name}`);
  return name;
}

/** @param value an enum value */
export const is = (name: string, value: string): Condition => compared(name, "=", value);
/** @param value an enum value */
export const isNot = (name: string, value: string): Condition => compared(name, "!=", value);

function compared(name: string, sign: "=" | "!=", value: string): Condition {
  if (!VALUE.test(value)) throw new TypeError(`not a value of an enumeration: ${value}`);
  return condition(`${field(name)} ${sign} '${value}'`);
}

export const isTrue = (name: string): Condition => condition(`${field(name)} = TRUE`);
export const isFalse = (name: string): Condition => condition(`${field(name)} = FALSE`);

/** A minimum for a field of whole numbers. */
export const atLeast = (name: string, least: bigint): Condition => condition(`${field(name)} >= ${least}`);

/** @param ids strings of digits */
export function isOneOf(name: string, ids: readonly string[]): Condition {
  if (ids.length === 0 || !ids.every((id) => /^\d+$/.test(id))) throw new TypeError("not a list of ids");
  return condition(`${field(name)} IN (${ids.join(", ")})`);
}

/** A range of days, both ends inclusive. */
export function within(from: string, to: string, name = "segments.date"): Condition {
  if (!isDate(from) || !isDate(to)) throw new TypeError("not two dates");
  return condition(`${field(name)} BETWEEN '${from}' AND '${to}'`);
}

/** A range of whole days in the account's zone, for a field with timestamps. */
export function duringDays(name: string, from: string, to: string): readonly Condition[] {
  if (!isDate(from) || !isDate(to)) throw new TypeError("not two dates");
  return [condition(`${field(name)} >= '${from} 00:00:00'`), condition(`${field(name)} <= '${to} 23:59:59.999999'`)];
}

export function queryText({ from, select, where = [], orderBy, limit }: AdsQuery): string {
  return [
    `SELECT ${select.map(field).join(", ")} FROM ${from}`,
    ...(where.length > 0 ? [`WHERE ${where.join(" AND ")}`] : []),
    ...(orderBy === undefined ? [] : [`ORDER BY ${orderBy}`]),
    ...(limit === undefined ? [] : [`LIMIT ${limit}`]),
  ].join(" ");
}
