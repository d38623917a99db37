import { request } from "../../../core/request/context.ts";
import { type Bound, statement } from "../../../core/sql/statement.ts";
import { CLIENT_THROUGH_TASK } from "../clients-of-work.ts";
import { throughTaskOfStaff } from "../visibility.ts";

/** Entries on alias `t` that a client login sees: those of its own clients. */
export const entriesOfClient = (slot: string): string => `${CLIENT_THROUGH_TASK} in (select selected_companies(${slot}))`;

/**
 * A statement over the entries on alias `t` that the caller sees. Compiled separately for callers without a selection, whose sums are then
 * index-only.
 * @param make builds the SQL around the visibility condition
 * @param slot the last parameter, which holds the selection
 */
export function overSeenEntries(make: (seen: string) => string, slot: string): (values: readonly unknown[]) => Bound {
  const sources = `${slot}::uuid[]`;
  const all = statement(make("true"));
  const staff = statement(make(throughTaskOfStaff(sources)));
  const client = statement(make(entriesOfClient(sources)));
  return (values) => {
    const { principal } = request();
    if (!principal?.selection) return [all, values];
    return [principal.isClientLogin ? client : staff, [...values, principal.selection]];
  };
}
