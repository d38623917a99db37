import { type Listing, type ListQuery, listing } from "../../../core/database/lists/list.ts";
import type { ListingSpec } from "../../../core/database/lists/listing-spec.ts";
import { projection } from "../../../core/database/projection.ts";
import { forStaffAndClients } from "../../../core/request/caller.ts";
import { flag, nameOf, optional, uuid } from "../../../core/schema/schema.ts";
import type { JsonText, WrittenRow } from "../../../core/sql/json-text.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { partyJoin } from "../parties/parties.ts";
import { BILLED, BILLING_COLUMNS, BILLING_JOIN, OWN_CURRENCY, tldPriceOn, UNRESOLVED_BILLING } from "./billing-answer.ts";
import { DomainRead } from "./domain-schemas.ts";
import { DOMAIN_STATUSES } from "./domain-statuses.ts";
import { Domain } from "./models.ts";

/** A domain is visible with its client. */
export const visibleDomain = (slot: string): string => `t.company_id in (select selected_companies(${slot}))`;

/** Joins a slot's provider by name. A page repeats few providers, and the plan memoizes the lateral join's results. */
const providerJoin = (slot: string): string =>
  `left join lateral (select p.name from providers p where p.organisation_id = t.organisation_id and p.id = t.${slot}_provider_id limit 1) ${slot}_slot on true`;
const SLOTS = ["registrar", "dns", "email"].map(providerJoin).join(" ");
/** The client's name, without a check: a caller who sees the domain sees its client. */
const OWN =
  "left join lateral (select c.name from companies c where c.organisation_id = t.organisation_id and c.id = t.company_id limit 1) own on true";

const RESOLVED = {
  company_name: "own.name",
  registrar_provider_name: "registrar_slot.name",
  dns_provider_name: "dns_slot.name",
  email_provider_name: "email_slot.name",
  registry_contact: "registry_contact_party.shown",
  email_contact: "email_contact_party.shown",
  resolved_price: "coalesce(t.price_override, price.amount)",
  resolved_currency: `coalesce(price.currency, case when t.price_override is not null then ${OWN_CURRENCY} end)`,
  ...BILLING_COLUMNS,
};

const UNRESOLVED = {
  company_name: "''",
  registrar_provider_name: "null",
  dns_provider_name: "null",
  email_provider_name: "null",
  registry_contact: "null::json",
  email_contact: "null::json",
  resolved_price: "null",
  resolved_currency: "null",
  ...UNRESOLVED_BILLING,
};

/** The TLD in Unicode, cut from the display name: it has as many labels as the ASCII name. */
const SHOWN_TLD = "case when t.tld like '%xn--%' then substr(t.label, strpos(t.label, '.') + 1) else t.tld end";

/** The response projection of a domain. @param resolved false omits fields from other tables (assets §2.7) */
const shown = (clients: boolean, resolved = true) => {
  const parties = ["registry_contact", "email_contact"].map((name) =>
    partyJoin(name, { id: "t.company_id", name: "own.name" }, clients),
  );
  return projection({
    model: Domain,
    schema: DomainRead,
    columns: { name: "t.label", tld: SHOWN_TLD, ...(resolved ? RESOLVED : UNRESOLVED) },
    joins: (sources) =>
      resolved
        ? `${OWN} ${BILLING_JOIN} ${SLOTS} left join lateral ${tldPriceOn("(select organisation_today())")} price on true
          ${parties.map((party) => party(sources)).join(" ")}`
        : "",
    keepsOrder: true,
  });
};

const providerSort = (alias: string, reference: string) => ({
  by: `${alias}.name`,
  text: true,
  mayBeEmpty: true,
  join: `left join providers ${alias} on ${alias}.organisation_id = t.organisation_id and ${alias}.id = t.${reference}`,
});

const spec: ListingSpec = {
  table: "domains",
  searchable: true,
  order: "name",
  sorts: {
    name: { by: "t.label", text: true },
    company: {
      by: "sc.name",
      text: true,
      join: "join companies sc on sc.organisation_id = t.organisation_id and sc.id = t.company_id",
    },
    status: { by: "t.status", text: true, unindexed: true },
    registrar: providerSort("sr", "registrar_provider_id"),
    dns: providerSort("sd", "dns_provider_id"),
    dnssec: { by: "t.dnssec", mayBeEmpty: true, unindexed: true },
    email_enabled: { by: "t.email_enabled", unindexed: true },
    start_date: { by: "t.start_date" },
    next_invoice_date: { by: "t.next_invoice_date", mayBeEmpty: true },
    created_at: { by: "t.created_at" },
    updated_at: { by: "t.updated_at" },
  },
  filters: {
    company_id: { type: "uuid", when: (slot) => `t.company_id = ${slot}` },
    status: { type: "text", when: (slot) => `t.status = ${slot}` },
    registrar_provider_id: { type: "uuid", when: (slot) => `t.registrar_provider_id = ${slot}` },
    dns_provider_id: { type: "uuid", when: (slot) => `t.dns_provider_id = ${slot}` },
    invoiceable: { type: "boolean", when: (slot) => `${BILLED} = ${slot}` },
  },
  visible: visibleDomain,
  kept: { by: "status" },
};

/** The list of domains (assets §2.7). */
export const domainListing = listing(spec, shown(false));

const listingOf = (clients: boolean, resolved: boolean): Listing =>
  !clients && resolved ? domainListing : listing(spec, shown(clients, resolved));

const rows = (resolved: boolean) =>
  forStaffAndClients((clients) =>
    rowsOf({
      model: Domain,
      projection: shown(clients),
      listing: listingOf(clients, resolved),
      visible: visibleDomain,
      narrowed: true,
    }),
  );
const resolvedRows = rows(true);
const plainRows = rows(false);

/** Domains visible to the current request. */
export const domainRows = {
  /** @throws 404 */
  one: (id: string): Promise<JsonText> => resolvedRows().one(id),
  answerWith: (id: string): WrittenRow => resolvedRows().answerWith(id),
  /** Locks and returns the stored row. @throws 404, 412 */
  forWrite: (id: string) => resolvedRows().forWrite(id),
  /** A page of the list; without `meta`, fields from other tables stay empty. @throws 400 `invalid_sort` */
  page: (asked: ListQuery & { meta?: boolean | undefined }, filters: Record<string, unknown> = {}): Promise<JsonText> =>
    (asked.meta === false ? plainRows : resolvedRows)().page(asked, filters),
};

/** The filters of the list, in addition to search and order; exports accept the same. */
export const domainQuery = {
  company_id: optional(uuid()),
  // An unknown status matches nothing.
  status: optional(nameOf(50, DOMAIN_STATUSES, { description: `One of ${DOMAIN_STATUSES.join(", ")}` })),
  registrar_provider_id: optional(uuid()),
  dns_provider_id: optional(uuid()),
  invoiceable: optional(flag()),
};

/** `domainQuery` values as filters of the listing. */
export function domainFilters({
  company_id,
  status,
  registrar_provider_id,
  dns_provider_id,
  invoiceable,
}: {
  [Name in keyof typeof domainQuery]?: Name extends "invoiceable" ? boolean | undefined : string | undefined;
}): Record<string, unknown> {
  return { company_id, status: status?.trim() || undefined, registrar_provider_id, dns_provider_id, invoiceable };
}
