/**
 * Whether a domain is billed (assets §2.3), as SQL about domain `t`. The list's filter, every domain response, the renewal job, the picker
 * of open years and the renewal tile all use it.
 *
 * A domain sets this itself or follows the register: once any register was read completely, domains in no register are not billed. Triggers
 * keep the register's facts in the domain's row (`registers_of` in migrations/before-0.3/0036-domains-know-their-registers.ts).
 */

/** Whether any register was ever read completely; a credential alone does not count. Evaluated once per response. */
const AUTHORITY = `(select exists (select 1 from edge_accounts e
      where e.organisation_id = current_organisation() and e.registrations_read_at is not null)
    or exists (select 1 from registrar_accounts r where r.organisation_id = current_organisation() and r.last_synced_at is not null))`;

/** Whether domain `t` is billed. */
export const BILLED = `coalesce(t.invoiceable, not ${AUTHORITY} or t.held_by_edge or t.held_by_registrar)`;

/** The join that provides `billing.authority`: whether domains follow a register. Evaluated once. */
export const BILLING_JOIN = `cross join lateral (select ${AUTHORITY} as authority offset 0) billing`;

/** The billing columns of a response, from `BILLING_JOIN`. */
export const BILLING_COLUMNS = {
  invoiceable_effective: "coalesce(t.invoiceable, not billing.authority or t.held_by_edge or t.held_by_registrar)",
  invoiceable_source: `case when t.invoiceable is not null then 'explicit' when billing.authority then 'register' else 'default' end`,
  registers: `case when t.held_by_edge and t.held_by_registrar then '{edge,registrar}' when t.held_by_edge then '{edge}'
    when t.held_by_registrar then '{registrar}' else '{}' end::text[]`,
};

/** The billing columns without lookups (assets §2.7). */
export const UNRESOLVED_BILLING = {
  invoiceable_effective: "t.invoiceable is distinct from false",
  invoiceable_source: "case when t.invoiceable is not null then 'explicit' else 'default' end",
  registers: "'{}'::text[]",
  register_expires_on: "null::date",
};

/** The statuses of billable domains (assets §2.1). */
export const BILLABLE_STATUSES = ["active", "redirect", "parked"] as const;
/** `BILLABLE_STATUSES` as SQL about domain `t`. */
export const BILLABLE = "t.status in ('active', 'redirect', 'parked')";

/** The price of a TLD in force on a day, as a source of `amount` and `currency`. @param day SQL of the day */
export const tldPriceOn = (day: string): string => `(select p.amount, p.currency from tld_prices p
    where p.organisation_id = t.organisation_id and p.tld = t.tld and p.valid_from <= ${day} order by p.valid_from desc limit 1)`;

/** The currency of the organisation of domain `t`. */
export const OWN_CURRENCY = "(select o.currency from organisations o where o.id = t.organisation_id)";
