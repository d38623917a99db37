import {
  answer,
  decimal,
  flag,
  input,
  instant,
  integer,
  label,
  multiline,
  neverNull,
  nullable,
  optional,
  Type,
  text,
  uuid,
} from "../../../core/schema/schema.ts";
import { unitPriceInput } from "./setting-schemas.ts";

const PRODUCT = {
  name: "Name of the product, and the text of its lines",
  code: "Article number, unique where it is set; null without one",
  description: "Longer text; null without one",
  unit: "Unit, such as `hour` or `month`; null without one",
  unit_price: "Unit price, with up to 4 decimals, kept as sent. It has no currency: a line uses that of its document",
  tax_rate_id: "Tax rate of its lines; null uses the default",
  active: "Whether it is offered for new lines",
  position: "Its position in lists, the lowest first",
};

const details = {
  code: optional(nullable(text(30))),
  description: optional(nullable(multiline(2000))),
  unit: optional(nullable(text(20))),
  tax_rate_id: optional(nullable(uuid())),
};

export const ProductRead = answer(
  "ProductRead",
  {
    id: uuid(),
    org_id: uuid(),
    name: label(255),
    code: nullable(text(30)),
    description: nullable(multiline(2000)),
    unit: nullable(text(20)),
    unit_price: decimal(),
    tax_rate_id: nullable(uuid()),
    active: flag(),
    position: integer(),
    created_at: instant(),
    updated_at: instant(),
  },
  PRODUCT,
);

export const ProductCreate = input(
  "ProductCreate",
  {
    name: label(255),
    ...details,
    unit_price: optional(Type.Unsafe<string | number>({ ...unitPriceInput(), default: "0" })),
    active: optional(flag(true)),
    position: optional(integer(undefined, undefined, { default: 0 })),
  },
  PRODUCT,
);

export const ProductUpdate = input(
  "ProductUpdate",
  {
    name: optional(neverNull(nullable(label(255)))),
    ...details,
    unit_price: optional(neverNull(nullable(unitPriceInput()))),
    active: optional(neverNull(nullable(flag()))),
    position: optional(neverNull(nullable(integer()))),
  },
  PRODUCT,
);
