import { column, type RowOf, tenantModel } from "../../../core/database/model.ts";
import type { AutomationEntity } from "../../../core/declare/automation.ts";
import { conflict, notFound, refusal } from "../../../core/errors/errors.ts";
import type { AutoInvoiceMode } from "../../../core/values/recurring-source.ts";
import { partyColumns } from "../parties/parties.ts";

const { boolean, date, decimal, instant, json, text, texts, uuid } = column;

export type DomainStatus = "active" | "redirect" | "parked" | "expired" | "inactive";

/** A mail exchanger as public DNS last named it. */
export interface MxRecord {
  priority: number;
  exchange: string;
}

const unknownProvider = () => refusal("invalid_provider");

/** A domain of a client (assets §2). `name` is in ASCII, `label` is for display; the trail shows the latter. */
export const Domain = tenantModel("domains", {
  company_id: uuid().tracked(),
  name: text(),
  label: text(),
  search_text: text().byDatabase(),
  tld: text().orNull(),
  status: text<DomainStatus>().withDefault().tracked(),
  redirect_url: text().orNull().tracked().blankIsNull(),
  start_date: date().tracked(),
  next_invoice_date: date().orNull().tracked(),
  price_override: decimal(12, 2).orNull().tracked(),
  invoiceable: boolean().orNull().tracked(),
  auto_invoice_mode: text<AutoInvoiceMode>().orNull().tracked(),
  registrar_provider_id: uuid().orNull().tracked(),
  dns_provider_id: uuid().orNull().tracked(),
  ...partyColumns("registry_contact"),
  email_enabled: boolean().withDefault().tracked(),
  email_provider_id: uuid().orNull().tracked(),
  ...partyColumns("email_contact"),
  custom: json().withDefault(),
  nameservers: texts().orNull(),
  dnssec: boolean().orNull(),
  mx_records: json<readonly MxRecord[]>().orNull(),
  dns_checked_at: instant().orNull(),
  dns_look_at: instant().orNull().byDatabase(),
  held_by_edge: boolean().byDatabase(),
  held_by_registrar: boolean().byDatabase(),
  register_expires_on: date().orNull().byDatabase(),
}).whenViolated({
  domains_name_key: () => conflict("errors.conflict", "name"),
  // A row that is deleted between the check and the write is not found either.
  domains_company_fkey: notFound,
  domains_registrar_provider_fkey: unknownProvider,
  domains_dns_provider_fkey: unknownProvider,
  domains_email_provider_fkey: unknownProvider,
});
export type DomainRow = RowOf<typeof Domain>;

/** The fields of a domain in automation rules. */
export const domainFacts: AutomationEntity = { model: Domain };
