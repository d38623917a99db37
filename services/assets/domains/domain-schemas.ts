import {
  answer,
  choice,
  date,
  decimal,
  decimalInput,
  flag,
  input,
  instant,
  integer,
  json,
  label,
  link,
  list,
  neverNull,
  nullable,
  optional,
  type TProperties,
  type TSchema,
  Type,
  uuid,
} from "../../../core/declare/schema.ts";
import { partyRead, partySent } from "../parties/party-schemas.ts";

export const DOMAIN_STATUSES = ["active", "redirect", "parked", "expired", "inactive"] as const;
export const LEVELS = ["off", "draft", "issue", "send"] as const;
/** What numeric(12,2) holds. */
export const MOST_AMOUNT = 9_999_999_999.99;

const status = (options: Record<string, unknown> = {}) =>
  choice(DOMAIN_STATUSES, { $id: "DomainStatus", "x-usage": "both", ...options });
const level = () => choice(LEVELS, { $id: "AutoInvoiceMode", "x-usage": "both" });
const price = () => decimalInput({ minimum: 0, maximum: MOST_AMOUNT });

/** What may be empty in a body. */
const details = {
  redirect_url: optional(nullable(link(512))),
  next_invoice_date: optional(nullable(date())),
  price_override: optional(nullable(price())),
  invoiceable: optional(nullable(flag())),
  auto_invoice_mode: optional(nullable(choice(LEVELS))),
  registrar_provider_id: optional(nullable(uuid())),
  dns_provider_id: optional(nullable(uuid())),
  registry_contact: partySent(),
  email_provider_id: optional(nullable(uuid())),
  email_contact: partySent(),
} satisfies TProperties;

export const DomainCreate = input("DomainCreate", {
  name: label(253),
  company_id: uuid(),
  status: optional(status({ default: "active" })),
  start_date: optional(nullable(date())),
  email_enabled: optional(flag(false)),
  ...details,
  custom: optional(json({ default: {} })),
});

const given = <T extends TSchema>(schema: T) => optional(neverNull(nullable(schema)));

export const DomainUpdate = input("DomainUpdate", {
  name: given(label(253)),
  company_id: given(uuid()),
  status: given(choice(DOMAIN_STATUSES)),
  start_date: given(date()),
  email_enabled: given(flag()),
  ...details,
  custom: optional(nullable(json())),
});

const MxRecord = answer("MxRecord", { priority: integer(0, 65_535), exchange: Type.String() });

export const DomainRead = answer("DomainRead", {
  id: uuid(),
  org_id: uuid(),
  // In Unicode; `q` finds the ASCII form as well.
  name: Type.String(),
  tld: nullable(Type.String()),
  company_id: uuid(),
  company_name: Type.String({ default: "" }),
  status: status(),
  redirect_url: nullable(Type.String()),
  start_date: date(),
  next_invoice_date: nullable(date()),
  register_expires_on: nullable(date()),
  price_override: nullable(decimal()),
  resolved_price: nullable(decimal()),
  resolved_currency: nullable(Type.String()),
  // Null follows the register.
  invoiceable: nullable(flag()),
  invoiceable_effective: flag(true),
  invoiceable_source: choice(["explicit", "register", "default"], { default: "default" }),
  registers: list(Type.String()),
  // Null follows the organisation.
  auto_invoice_mode: nullable(level()),
  registrar_provider_id: nullable(uuid()),
  registrar_provider_name: nullable(Type.String()),
  dns_provider_id: nullable(uuid()),
  dns_provider_name: nullable(Type.String()),
  registry_contact: partyRead(),
  email_enabled: flag(false),
  email_provider_id: nullable(uuid()),
  email_provider_name: nullable(Type.String()),
  email_contact: partyRead(),
  custom: json(),
  nameservers: nullable(list(Type.String())),
  dnssec: nullable(flag()),
  mx_records: nullable(list(MxRecord)),
  dns_checked_at: nullable(instant()),
  created_at: instant(),
  updated_at: instant(),
});
