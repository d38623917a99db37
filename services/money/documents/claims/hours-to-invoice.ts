import { request } from "../../../../core/request/context.ts";
import { type Bound, statement } from "../../../../core/sql/statement.ts";
import { BILLABLE, CLIENT_IN_SIGHT, CLIENT_OF_ENTRY } from "./billable.ts";

/** Hours on alias `t` that a restricted member sees: those of its clients, and those without a client. */
const seenByStaff = (slot: string): string =>
  `(${CLIENT_IN_SIGHT} is null or ${CLIENT_IN_SIGHT} in (select selected_companies(${slot})))`;
/** Hours that a client login sees. */
const seenByClient = (slot: string): string => `${CLIENT_IN_SIGHT} in (select selected_companies(${slot}))`;

/** Hours of a client, on alias `t`. */
export const ofClient = (slot: string): string => `${CLIENT_OF_ENTRY} = ${slot}`;

/** Hours on alias `t` that count on a day or earlier; null does not filter. */
export const until = (slot: string): string => `(${slot}::date is null or t.work_date <= ${slot}::date)`;

/** SQL fragments of a statement over uninvoiced hours. */
export interface SeenHours {
  /** The condition on alias `t`. */
  readonly where: string;
  /** Whether the caller may see the name of the project on alias `rp`. */
  readonly project: string;
}

/**
 * A statement over the uninvoiced hours that the caller sees (money §8), with a separate one for callers without a selection.
 * @param make builds the statement from those fragments
 * @param slot the last parameter, which receives the selection
 */
export function overHoursToInvoice(make: (seen: SeenHours) => string, slot: string): (values: readonly unknown[]) => Bound {
  const sources = `${slot}::uuid[]`;
  const where = `t.organisation_id = $1 and ${BILLABLE}`;
  const project = `(rp.company_id is null or rp.company_id in (select selected_companies(${sources})))`;
  const all = statement(make({ where, project: "true" }));
  const staff = statement(make({ where: `${where} and ${seenByStaff(sources)}`, project }));
  const client = statement(make({ where: `${where} and ${seenByClient(sources)}`, project }));
  return (values) => {
    const { principal } = request();
    if (!principal?.selection) return [all, values];
    return [principal.isClientLogin ? client : staff, [...values, principal.selection]];
  };
}

/** The name of the person on alias `ra`. */
export const PERSON_NAME = "coalesce(nullif(ra.full_name, ''), ra.email)";
