import { namedValues } from "../../../core/naming/named-values.ts";
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
} from "../../../core/schema/schema.ts";
import { countryInput } from "./setting-schemas.ts";

export const TAX_CATEGORIES = namedValues("TaxCategory", ["standard", "reduced", "zero", "exempt", "reverse_charge"]);
/** The tax treatment of a rate, and its category in e-invoices. */
export const taxCategory = (options = {}) => choice(TAX_CATEGORIES, options);

const percentage = () => decimalInput({ minimum: 0, maximum: 100, decimalPlaces: 2 });

const TAX_RATE = {
  label_i18n: "Label by language, as `{nl, en}`; documents print it in their own language",
  rate: "Percentage from 0 to 100, with up to 2 decimals",
  category: "How it is taxed, as electronic invoices name it; `exempt` and `reverse_charge` lines bear no tax",
  country: "ISO 3166-1 alpha-2 code of its country; null if none",
  ledger_code: "Ledger account that exports to an accounting package book it on; null without one",
  is_default: "Whether it is the rate of lines without one; setting it unsets the others",
  active: "Whether it is offered for new lines; a line may still name it",
  position: "Its position in lists, the lowest first, then the highest rate",
};

export const TaxRateRead = answer(
  "TaxRateRead",
  {
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
  },
  TAX_RATE,
);

export const TaxRateCreate = input(
  "TaxRateCreate",
  {
    label_i18n: optional(names({ default: {} })),
    rate: optional(Type.Unsafe<string | number>({ ...percentage(), default: "0" })),
    category: optional(taxCategory({ default: "standard" })),
    country: optional(nullable(countryInput())),
    ledger_code: optional(nullable(text(50))),
    is_default: optional(flag(false)),
    active: optional(flag(true)),
    position: optional(integer(undefined, undefined, { default: 0 })),
  },
  TAX_RATE,
);

export const TaxRateUpdate = input(
  "TaxRateUpdate",
  {
    label_i18n: optional(nullable(names())),
    rate: optional(neverNull(nullable(percentage()))),
    category: optional(neverNull(nullable(taxCategory()))),
    country: optional(nullable(countryInput())),
    ledger_code: optional(nullable(text(50))),
    is_default: optional(neverNull(nullable(flag()))),
    active: optional(neverNull(nullable(flag()))),
    position: optional(neverNull(nullable(integer()))),
  },
  TAX_RATE,
);
