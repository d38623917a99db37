import { type Bound, statement } from "../../../core/database/statement.ts";
import { request } from "../../../core/request/context.ts";
import { CLIENT_OF } from "../visibility.ts";

/** The client of an entry on alias `t`: its own, else its project's, else that of its task. */
export const CLIENT = `coalesce(${CLIENT_OF}, (select coalesce(vt.company_id, (select tp.company_id from projects tp
    where tp.organisation_id = vt.organisation_id and tp.id = vt.project_id))
  from tasks vt where vt.organisation_id = t.organisation_id and vt.id = t.task_id))`;

/** Entries on alias `t` that a restricted member sees: those of its clients, and those without any (work chapter §0). */
export const entriesOfStaff = (slot: string): string =>
  `(${CLIENT} is null or ${CLIENT} in (select selected_companies(${slot})))`;

/** Entries on alias `t` that a client login sees: those of its own clients. */
export const entriesOfClient = (slot: string): string => `${CLIENT} in (select selected_companies(${slot}))`;

/**
 * A statement over the entries on alias `t` that the caller sees, compiled apart for callers without a selection, whose sums read no more
 * than an index.
 * @param make the text around the condition of what is seen
 * @param slot the parameter behind all others, which takes the selection
 */
export function overSeenEntries(make: (seen: string) => string, slot: string): (values: readonly unknown[]) => Bound {
  const sources = `${slot}::uuid[]`;
  const all = statement(make("true"));
  const staff = statement(make(entriesOfStaff(sources)));
  const client = statement(make(entriesOfClient(sources)));
  return (values) => {
    const { principal } = request();
    if (!principal?.selection) return [all, values];
    return [principal.isClientLogin ? client : staff, [...values, principal.selection]];
  };
}
