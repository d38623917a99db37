import { described } from "../../../core/schema/fields.ts";
import {
  answer,
  choice,
  field,
  flag,
  input,
  instant,
  label,
  list,
  neverNull,
  nullable,
  optional,
  Type,
  text,
  uuid,
  writeOnly,
} from "../../../core/schema/schema.ts";

const LONGEST_LABEL = 100;
const LONGEST_KEY = 200;

const ACCOUNT = {
  provider: "Key of the payment provider, such as `mollie`; fixed once the account exists",
  label: "The organisation's own name for the account; unique",
  mode: "`live` or `test`, from the key's prefix. A test payment never settles an invoice",
  active: "Whether it accepts new payments; callbacks are accepted either way",
  api_key_configured: "Whether a key is stored; the key itself is never shown",
  methods: "Keys of the payment methods that the provider named when the key was last verified",
  status: "`error` when the last verification failed",
  last_verified_at: "When the key was last accepted, UTC; null if never, and after it was replaced",
  last_error: "The provider's message when verification last failed; null after it succeeded",
  webhook_url: "Address for the provider's callbacks; replacing the key replaces it. Null if there is none",
  api_key:
    "The provider's key, beginning with `test_` or `live_`; never shown again. In a change, omit it to keep the stored one; a new key clears the verification and replaces the callback address",
};

const common = described(
  {
    id: uuid(),
    provider: Type.String(),
    label: Type.String(),
    mode: Type.String(),
    active: flag(),
  },
  ACCOUNT,
);

export const InvoicePaymentAccountRead = answer("InvoicePaymentAccountRead", common);

/** A manager's answer after a write; includes the callback address. */
export const InvoicePaymentAccountDetail = answer(
  "InvoicePaymentAccountDetail",
  {
    ...common,
    api_key_configured: flag(),
    methods: list(Type.String()),
    status: choice(["active", "error"]),
    last_verified_at: nullable(instant()),
    last_error: nullable(Type.String()),
    webhook_url: nullable(Type.String()),
  },
  ACCOUNT,
);

export const InvoicePaymentAccountCreate = input(
  "InvoicePaymentAccountCreate",
  {
    provider: optional(text(40, { default: "mollie" })),
    label: label(LONGEST_LABEL),
    api_key: writeOnly(LONGEST_KEY),
    active: optional(flag(true)),
  },
  ACCOUNT,
);

export const InvoicePaymentAccountUpdate = input(
  "InvoicePaymentAccountUpdate",
  {
    label: optional(neverNull(label(LONGEST_LABEL))),
    api_key: writeOnly(LONGEST_KEY),
    active: optional(neverNull(flag())),
  },
  ACCOUNT,
);

export const InvoicePaymentAccountVerified = answer("InvoicePaymentAccountVerified", {
  ok: field(flag(), "Whether the provider accepted the key"),
  mode: Type.String({ description: "`live` or `test`, from the key's prefix" }),
  methods: field(list(Type.String()), "Keys of the payment methods that the provider named; empty on failure"),
  error: nullable(Type.String({ description: "The provider's message on failure; null on success" })),
});
