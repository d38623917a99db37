import { namedValues } from "../../../core/naming/named-values.ts";
import {
  answer,
  choice,
  date,
  decimal,
  decimalInput,
  field,
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
} from "../../../core/schema/schema.ts";
import { partyRead, partySent } from "../parties/party-schemas.ts";
import { DOMAIN_STATUSES } from "./domain-statuses.ts";

export const LEVELS = namedValues("AutoInvoiceMode", ["off", "draft", "issue", "send"]);
/** The maximum of numeric(12,2). */
export const MOST_AMOUNT = 9_999_999_999.99;

const status = (options: Record<string, unknown> = {}) => choice(DOMAIN_STATUSES, options);
const level = () => choice(LEVELS);
const price = () => decimalInput({ minimum: 0, maximum: MOST_AMOUNT, decimalPlaces: 2 });

/** The optional fields of a body. */
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

const DOMAIN = {
  name: "Host name without `www`, unique in the organisation. A URL is reduced to its host; international names are answered in Unicode, and `q` finds their ASCII form too",
  tld: "What follows the first label, such as `nl` or `co.uk`; it decides the price. Null for a name without a dot",
  company_id: "The client whose domain it is",
  company_name: "That client's name; empty in lists with `meta=false`",
  status: "Only `active`, `redirect` and `parked` domains are renewed and billed",
  redirect_url: "Destination of the domain, as recorded here: writing it changes nothing at a provider. Null without one",
  start_date: "Day from which renewals are counted; the organisation's today if omitted",
  next_invoice_date:
    "Day the current year ends and is billed. Not sent or null, it becomes the register's expiry if that lies ahead, else the next anniversary of `start_date`; null while the status is not billed",
  register_expires_on:
    "Expiry last reported by a register; null if unknown and in lists with `meta=false`. For display; billing does not use it",
  price_override: "Price of a year of this domain, with 2 decimals; null uses the price of its extension",
  resolved_price:
    "Today's price of a year: `price_override`, else that of the extension; null if there is none and in lists with `meta=false`",
  resolved_currency: "ISO 4217 code of `resolved_price`; null without a price",
  invoiceable: "Whether it is billed, decided by hand; null follows the register",
  invoiceable_effective:
    "Whether it is billed: the decision, else whether a register lists it, else true if no register was ever read",
  invoiceable_source: "Source of that value: `explicit` by hand, `register`, or `default` where no register was ever read",
  registers: "Registers that hold it, `edge` and `registrar`, in alphabetical order; empty in lists with `meta=false`",
  auto_invoice_mode:
    "What the billing job does when a year is due: `off` nothing, `draft` creates an invoice, `issue` issues it, `send` mails it too; null uses the organisation's setting",
  registrar_provider_id: "The registrar it is at, a provider of kind `registrar`; null if not noted",
  registrar_provider_name: "That provider's name; null without one and in lists with `meta=false`",
  dns_provider_id: "Provider of its DNS, a provider of kind `dns`; null if not noted",
  dns_provider_name: "That provider's name; null without one and in lists with `meta=false`",
  registry_contact:
    "The party that is its holder at the register; the agency for a new domain unless sent. Null if none is recorded",
  email_enabled: "Whether the domain has an e-mail provider and contact on record; false clears both",
  email_provider_id: "Provider of its mail, a provider of kind `email`; null without one and while `email_enabled` is false",
  email_provider_name: "That provider's name; null without one and in lists with `meta=false`",
  email_contact:
    "The party to contact about its mail; the agency unless sent when `email_enabled` becomes true. Null while `email_enabled` is false",
  nameservers: "Name servers that public DNS answered, sorted; empty when the lookup failed, null before the first check",
  dnssec: "Whether public DNS has keys for it; null when that is unknown or not checked yet",
  mx_records:
    "Mail servers from public DNS, by priority; empty if there are none or the lookup failed, null before the first check",
  dns_checked_at: "When public DNS was last checked, UTC; null before the first check. A job checks daily",
};

export const DomainCreate = input(
  "DomainCreate",
  {
    name: label(253),
    company_id: uuid(),
    status: optional(status({ default: "active" })),
    start_date: optional(nullable(date())),
    email_enabled: optional(flag(false)),
    ...details,
    custom: optional(json({ default: {} })),
  },
  DOMAIN,
);

const given = <T extends TSchema>(schema: T) => optional(neverNull(nullable(schema)));

export const DomainUpdate = input(
  "DomainUpdate",
  {
    name: given(label(253)),
    company_id: given(uuid()),
    status: given(choice(DOMAIN_STATUSES)),
    start_date: given(date()),
    email_enabled: given(flag()),
    ...details,
    custom: optional(nullable(json())),
  },
  DOMAIN,
);

const MxRecord = answer("MxRecord", {
  priority: field(integer(0, 65_535), "Preference of the server; the lowest is tried first"),
  exchange: Type.String({ description: "Host name of the server, in lower case" }),
});

export const DomainRead = answer(
  "DomainRead",
  {
    id: uuid(),
    org_id: uuid(),
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
    invoiceable: nullable(flag()),
    invoiceable_effective: flag(true),
    invoiceable_source: choice(["explicit", "register", "default"], { default: "default" }),
    registers: list(Type.String()),
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
  },
  DOMAIN,
);
