/**
 * Whether a domain is billed (assets §2.3), as SQL about domain `t`. The list's filter, every answer that shows a domain, the renewal job, the
 * picker of what is still to be invoiced and the renewal tile all take it from here.
 *
 * A domain says so itself, or follows the register: once some register was read to its end, what stands in none is not billed.
 */

/** Rows `h` of each register that are there still, and what they say of a domain. Zones say nothing about who registered. */
const REGISTERS = {
  edge: {
    rows: "from edge_registrations h where h.organisation_id = t.organisation_id and not h.gone",
    holds: "h.at_provider",
    expires: "(h.expires_at at time zone 'UTC')::date",
  },
  registrar: {
    rows: "from registrar_domains h where h.organisation_id = t.organisation_id and h.registry_status is distinct from 'gone'",
    holds: "true",
    expires: "h.expires_on",
  },
} as const;
type Register = keyof typeof REGISTERS;

/** A row counts by its link, and by the name alone for a domain that was typed in after the register was read. */
const BY = ["h.domain_id = t.id", "h.name = t.name"] as const;

/** Whether a register holds domain `t`. Not by `exists`, for which a plan may read the whole register. */
const held = (register: Register): string => {
  const { rows, holds } = REGISTERS[register];
  return `coalesce(${BY.map((by) => `(select true ${rows} and ${holds} and ${by} limit 1)`).join(", ")}, false)`;
};

/** Every row of the registers about domain `t`: which holds it, and until when it is registered, with any registrar. */
const LISTED = (["edge", "registrar"] as const)
  .map((register) => {
    const { rows, holds, expires } = REGISTERS[register];
    const columns = [register === "edge" ? holds : "false", register === "registrar" ? holds : "false", expires];
    return `select ${columns.join(", ")} ${rows} and (${BY.join(" or ")})`;
  })
  .join(" union all ");

/** Whether any register was ever read to its end; a credential alone says nothing. It is asked once for a whole answer. */
const AUTHORITY = `(select exists (select 1 from edge_accounts e
      where e.organisation_id = current_organisation() and e.registrations_read_at is not null)
    or exists (select 1 from registrar_accounts r where r.organisation_id = current_organisation() and r.last_synced_at is not null))`;

/** Whether domain `t` is billed. */
export const BILLED = `coalesce(t.invoiceable, not ${AUTHORITY} or ${held("edge")} or ${held("registrar")})`;

/** The joins that give what the answer rests on, each register asked once. */
export const BILLING_JOIN = `cross join lateral (select ${AUTHORITY} as authority offset 0) billing
  cross join lateral (select coalesce(bool_or(l.edge), false) as edge, coalesce(bool_or(l.registrar), false) as registrar,
      max(l.expires_on) as expires_on from (${LISTED}) l (edge, registrar, expires_on)) register`;

/** The columns of an answer, from `BILLING_JOIN`. */
export const BILLING_COLUMNS = {
  invoiceable_effective: "coalesce(t.invoiceable, not billing.authority or register.edge or register.registrar)",
  invoiceable_source: `case when t.invoiceable is not null then 'explicit' when billing.authority then 'register' else 'default' end`,
  registers: `array_remove(array[case when register.edge then 'edge' end, case when register.registrar then 'registrar' end], null)`,
  // The day of an instant is that of UTC, as registries count (assets §2.2).
  register_expires_on: "register.expires_on",
};

/** The same where nothing is resolved (assets §2.7). */
export const UNRESOLVED_BILLING = {
  invoiceable_effective: "t.invoiceable is distinct from false",
  invoiceable_source: "case when t.invoiceable is not null then 'explicit' else 'default' end",
  registers: "'{}'::text[]",
  register_expires_on: "null::date",
};

/** The latest expiry that a register last reported of domain `t`, as `BILLING_COLUMNS` gives it. */
export const REGISTER_EXPIRY = `(select max(l.expires_on) from (${LISTED}) l (edge, registrar, expires_on))`;

/** The statuses in which a domain is billed at all (assets §2.1). */
export const BILLABLE_STATUSES = ["active", "redirect", "parked"] as const;
/** The same as SQL about domain `t`. */
export const BILLABLE = "t.status in ('active', 'redirect', 'parked')";

/** The price of a TLD that counts on a day, as a source of `amount` and `currency`. @param day SQL of the day */
export const tldPriceOn = (day: string): string => `(select p.amount, p.currency from tld_prices p
    where p.organisation_id = t.organisation_id and p.tld = t.tld and p.valid_from <= ${day} order by p.valid_from desc limit 1)`;

/** The currency of the organisation of domain `t`. */
export const OWN_CURRENCY = "(select o.currency from organisations o where o.id = t.organisation_id)";
