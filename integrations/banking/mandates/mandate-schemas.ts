import { namedValues } from "../../../core/naming/named-values.ts";
import {
  answer,
  choice,
  date,
  input,
  instant,
  label,
  neverNull,
  nullable,
  optional,
  Type,
  text,
  uuid,
} from "../../../core/schema/schema.ts";

export const SCHEMES = namedValues("MandateScheme", ["core", "b2b"]);
export const MANDATE_STATES = namedValues("MandateState", ["live", "revoked"]);

const MANDATE = {
  company_id: "The client that signed it",
  reference:
    "Its reference at the banks, unique in the organisation without regard to case; at most 35 letters, digits and `+?/:().,'-`. Fixed once the mandate exists",
  scheme:
    "`core`, or `b2b` for a business that gave up refunds and registered the mandate at its bank; fixed once the mandate exists",
  state: "`revoked` from `revoked_on` on, in the organisation's zone; else `live`",
  iban: "Account of the client; its check digits must be right. Blanks are left out",
  bic: "BIC of the client's bank; null lets the bank find it by the IBAN",
  account_holder: "Name on that account, at most 70 characters",
  signed_on: "Day of the signature, not after today",
  revoked_on: "The first day on which nothing may be collected under it; null if it was not revoked",
};

export const SepaMandateRead = answer(
  "SepaMandateRead",
  {
    id: uuid(),
    company_id: uuid(),
    reference: Type.String(),
    scheme: choice(SCHEMES),
    state: choice(MANDATE_STATES),
    iban: Type.String(),
    bic: nullable(Type.String()),
    account_holder: Type.String(),
    signed_on: date(),
    revoked_on: nullable(date()),
    created_at: instant(),
    updated_at: instant(),
  },
  MANDATE,
);

export const SepaMandateCreate = input(
  "SepaMandateCreate",
  {
    company_id: uuid(),
    reference: optional(label(35)),
    scheme: optional(choice(SCHEMES, { default: "core" })),
    iban: label(42),
    bic: optional(nullable(text(16))),
    account_holder: label(70),
    signed_on: date(),
  },
  { ...MANDATE, reference: `${MANDATE.reference}. Absent, the service makes one` },
);

export const SepaMandateUpdate = input(
  "SepaMandateUpdate",
  {
    iban: optional(neverNull(label(42))),
    bic: optional(nullable(text(16))),
    account_holder: optional(neverNull(label(70))),
    signed_on: optional(neverNull(date())),
    revoked_on: optional(nullable(date())),
  },
  MANDATE,
);
