import { optional, type TSchema, Type } from "../schema/schema.ts";

/** Hours that a cursor is good for. */
export const CURSOR_HOURS = 24;
/** Characters of the longest cursor: a sort key of 1,000 characters fits. */
const LONGEST = 8000;

/** The query parameter of every operation that returns pages of stored rows. */
export const CURSOR_QUERY = {
  cursor: optional(
    Type.String({
      minLength: 1,
      maxLength: LONGEST,
      description: `\`next_cursor\` of the page before, in place of \`offset\`: the rows behind that page. All other parameters must be the same. It is good for ${CURSOR_HOURS} hours.`,
    }),
  ),
};

/** Whether an operation returns pages that a cursor goes through: a list has an `offset` too, the deleted rows begin at `since`. */
export function isWalked({ returns, query = {} }: { returns?: TSchema | null; query?: object }): boolean {
  const { properties = {} } = (returns ?? {}) as { properties?: object };
  return Object.hasOwn(properties, "next_cursor") && (Object.hasOwn(query, "offset") || Object.hasOwn(query, "since"));
}
