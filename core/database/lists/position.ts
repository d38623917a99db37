import type { Order, OrderPart } from "./order.ts";

/** The place of a row in an order: the text of each part's value, null if it is empty. */
export type Position = readonly (string | null)[];

/** Which values of a position are empty, as the key of a compiled statement. */
export const formOf = (position: Position): string => position.map((value) => (value === null ? "-" : "v")).join("");

/** The values of a position that a statement takes. */
export const valuesOf = (position: Position): string[] => position.filter((value) => value !== null);

const equal = ({ sql }: OrderPart, slot: string | null): string => (slot === null ? `${sql} is null` : `${sql} = ${slot}`);
/** The conditions of values behind the one in `slot`: empty values come last. PostgreSQL infers the type of the slot. */
const behind = ({ sql, descending, mayBeEmpty }: OrderPart, slot: string | null): string[] => {
  if (slot === null) return [];
  return [`${sql} ${descending ? "<" : ">"} ${slot}`, ...(mayBeEmpty ? [`${sql} is null`] : [])];
};

/**
 * The rows behind a position, as conditions that exclude each other, in the order of the rows: those that share all parts but the last, then
 * those that share one part less, and so on. An index of the order finds the rows of each at its beginning.
 * @param first number of the first slot of `valuesOf`
 */
export function conditionsBehind({ parts }: Pick<Order, "parts">, position: Position, first: number): string[] {
  let next = first;
  const slots = position.map((value) => (value === null ? null : `$${next++}`));
  return parts
    .map((part, index) => {
      const shared = parts.slice(0, index).map((one, before) => equal(one, slots[before] ?? null));
      return behind(part, slots[index] ?? null).map((condition) => [...shared, condition].join(" and "));
    })
    .toReversed()
    .flat();
}
