import { column, type RowOf, tenantModel } from "../../core/database/model.ts";
import { notFound, refusal } from "../../core/errors/errors.ts";
import { syncColumns } from "../../mixins/account-sync/account-sync.ts";

const { boolean, date, decimal, instant, json, sealed, text, texts, uuid } = column;

/** How the registry's name servers compare with the requested ones (assets §10.3, §10.4). */
export type PushStatus = "pending" | "active" | "drift" | "missing" | "error";

/** The registrar's contact ids of a domain, by role. */
export type ContactRefs = Readonly<Record<string, string>>;

/** An account at a registrar (assets §10.2). `tlds` are the TLDs it sells, as last verified. */
export const RegistrarAccount = tenantModel("registrar_accounts", {
  adapter: text().withDefault(),
  name: text().tracked(),
  api_user: text().tracked(),
  api_password: sealed(),
  provider_id: uuid().orNull(),
  active: boolean().withDefault().tracked(),
  status: text<"active" | "error">().withDefault(),
  tlds: texts().withDefault(),
  funds_available: decimal(14, 2).orNull(),
  last_verified_at: instant().orNull(),
  last_synced_at: instant().orNull(),
  last_error: text().orNull(),
  ...syncColumns,
  pushing: uuid().orNull(),
  pushing_until: instant().orNull(),
}).whenViolated({
  registrar_accounts_name_key: () => refusal("conflict", "errors.conflict", { fields: { name: "errors.duplicate" } }),
});
export type RegistrarAccountRow = RowOf<typeof RegistrarAccount>;

/** A domain as an account last listed it (assets §10.3). `name` is in ASCII, `label` is for display. */
export const RegistrarDomain = tenantModel("registrar_domains", {
  account_id: uuid(),
  name: text(),
  label: text(),
  sld: text(),
  tld: text().orNull(),
  domain_id: uuid().orNull(),
  expires_on: date().orNull(),
  transfer_lock: boolean().orNull(),
  autorenew: boolean().orNull(),
  dnssec: boolean().orNull(),
  nsgroup_ref: text().orNull(),
  ns_observed: texts().orNull(),
  ns_desired: texts().orNull(),
  ns_push_status: text<PushStatus>().orNull(),
  registry_status: text().orNull(),
  contact_refs: json<ContactRefs>().orNull(),
  registrant: text().orNull(),
  last_error: text().orNull(),
  last_synced_at: instant().orNull(),
  // A record that is deleted during the registrar's calls is not found either.
}).whenViolated({ registrar_domains_account_fkey: notFound, registrar_domains_domain_fkey: notFound });
export type RegistrarDomainRow = RowOf<typeof RegistrarDomain>;
