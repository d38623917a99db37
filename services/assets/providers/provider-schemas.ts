import {
  answer,
  choice,
  flag,
  input,
  instant,
  integer,
  json,
  label,
  neverNull,
  nullable,
  optional,
  uuid,
} from "../../../core/declare/schema.ts";

export const PROVIDER_KINDS = ["email", "dns", "registrar", "hosting"] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

export const providerKind = () => choice(PROVIDER_KINDS, { $id: "ProviderKind", "x-usage": "both" });

export const ProviderRead = answer("ProviderRead", {
  id: uuid(),
  org_id: uuid(),
  kind: providerKind(),
  name: label(255),
  config: json(),
  active: flag(true),
  position: integer(undefined, undefined, { default: 0 }),
  created_at: instant(),
  updated_at: instant(),
});

export const ProviderCreate = input("ProviderCreate", {
  kind: providerKind(),
  name: label(255),
  config: optional(json({ default: {} })),
  active: optional(flag(true)),
  position: optional(integer(undefined, undefined, { default: 0 })),
});

/** A provider stays of its kind: what names it relies on that (assets §1). */
export const ProviderUpdate = input("ProviderUpdate", {
  name: optional(neverNull(nullable(label(255)))),
  config: optional(nullable(json())),
  active: optional(neverNull(nullable(flag()))),
  position: optional(neverNull(nullable(integer()))),
});
