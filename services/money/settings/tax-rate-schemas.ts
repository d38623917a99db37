import {
  answer,
  choice,
  decimal,
  decimalInput,
  flag,
  input,
  instant,
  integer,
  names,
  neverNull,
  nullable,
  optional,
  Type,
  text,
  uuid,
} from "../../../core/declare/schema.ts";
import { countryInput } from "./setting-schemas.ts";

export const TAX_CATEGORIES = ["standard", "reduced", "zero", "exempt", "reverse_charge"] as const;
/** How a rate is taxed, and named in electronic invoices. */
export const taxCategory = (options = {}) => choice(TAX_CATEGORIES, { $id: "TaxCategory", ...options });

const percentage = () => decimalInput({ minimum: 0, maximum: 100, decimalPlaces: 2 });

export const TaxRateRead = answer("TaxRateRead", {
  id: uuid(),
  org_id: uuid(),
  label_i18n: names(),
  rate: decimal(),
  category: taxCategory(),
  country: nullable(Type.String({ minLength: 2, maxLength: 2 })),
  ledger_code: nullable(text(50)),
  is_default: flag(),
  active: flag(),
  position: integer(),
  created_at: instant(),
  updated_at: instant(),
});

export const TaxRateCreate = input("TaxRateCreate", {
  label_i18n: optional(names({ default: {} })),
  rate: optional(Type.Unsafe<string | number>({ ...percentage(), default: "0" })),
  category: optional(taxCategory({ default: "standard" })),
  country: optional(nullable(countryInput())),
  ledger_code: optional(nullable(text(50))),
  is_default: optional(flag(false)),
  active: optional(flag(true)),
  position: optional(integer(undefined, undefined, { default: 0 })),
});

export const TaxRateUpdate = input("TaxRateUpdate", {
  label_i18n: optional(nullable(names())),
  rate: optional(neverNull(nullable(percentage()))),
  category: optional(neverNull(nullable(taxCategory()))),
  country: optional(nullable(countryInput())),
  ledger_code: optional(nullable(text(50))),
  is_default: optional(neverNull(nullable(flag()))),
  active: optional(neverNull(nullable(flag()))),
  position: optional(neverNull(nullable(integer()))),
});
