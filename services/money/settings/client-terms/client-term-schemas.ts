import { answer, input, nullable, optional, type Static, uuid } from "../../../../core/schema/schema.ts";
import { PaymentDiscountRead, PaymentDiscountWrite } from "../setting-schemas.ts";

const TERMS = {
  company_id: "The client",
  payment_discount:
    "Discount for early payment that new invoices of this client promise when they are issued, unless the draft has its own; null uses that of the settings",
};

export const ClientTermsRead = answer(
  "ClientTermsRead",
  { company_id: uuid(), payment_discount: nullable(PaymentDiscountRead) },
  TERMS,
);

export const ClientTermsWrite = input("ClientTermsWrite", { payment_discount: optional(nullable(PaymentDiscountWrite)) }, TERMS);
export type ClientTermsChange = Static<typeof ClientTermsWrite>;
