import {
  answer,
  choice,
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
} from "../../../../core/declare/schema.ts";

const LONGEST_LABEL = 100;
const LONGEST_KEY = 200;

const common = {
  id: uuid(),
  provider: Type.String(),
  label: Type.String(),
  mode: Type.String(),
  active: flag(),
};

export const InvoicePaymentAccountRead = answer("InvoicePaymentAccountRead", common);

/** What a manager of the settings sees after a write; the callback address is part of it. */
export const InvoicePaymentAccountDetail = answer("InvoicePaymentAccountDetail", {
  ...common,
  api_key_configured: flag(),
  methods: list(Type.String()),
  status: choice(["active", "error"]),
  last_verified_at: nullable(instant()),
  last_error: nullable(Type.String()),
  webhook_url: nullable(Type.String()),
});

export const InvoicePaymentAccountCreate = input("InvoicePaymentAccountCreate", {
  provider: optional(text(40, { default: "mollie" })),
  label: label(LONGEST_LABEL),
  api_key: writeOnly(LONGEST_KEY),
  active: optional(flag(true)),
});

export const InvoicePaymentAccountUpdate = input("InvoicePaymentAccountUpdate", {
  label: optional(neverNull(label(LONGEST_LABEL))),
  api_key: writeOnly(LONGEST_KEY),
  active: optional(neverNull(flag())),
});

export const InvoicePaymentAccountVerified = answer("InvoicePaymentAccountVerified", {
  ok: flag(),
  mode: Type.String(),
  methods: list(Type.String()),
  error: nullable(Type.String()),
});
