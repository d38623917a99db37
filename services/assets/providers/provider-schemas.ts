import { namedValues } from "../../../core/naming/named-values.ts";
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
} from "../../../core/schema/schema.ts";

export const PROVIDER_KINDS = namedValues("ProviderKind", ["email", "dns", "registrar", "hosting"]);
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

export const providerKind = () => choice(PROVIDER_KINDS);

const PROVIDER = {
  kind: "What it provides, such as `hosting` or `dns`; fixed once it exists",
  name: "Name of the provider",
  config: "Facts about it for your own use, by any keys; no call is made with them",
  active: "Whether it is offered; records may refer to an inactive one",
  position: "Its position in lists, the lowest first",
};

export const ProviderRead = answer(
  "ProviderRead",
  {
    id: uuid(),
    org_id: uuid(),
    kind: providerKind(),
    name: label(255),
    config: json(),
    active: flag(true),
    position: integer(undefined, undefined, { default: 0 }),
    created_at: instant(),
    updated_at: instant(),
  },
  PROVIDER,
);

export const ProviderCreate = input(
  "ProviderCreate",
  {
    kind: providerKind(),
    name: label(255),
    config: optional(json({ default: {} })),
    active: optional(flag(true)),
    position: optional(integer(undefined, undefined, { default: 0 })),
  },
  PROVIDER,
);

/** A provider keeps its kind, because its references rely on it (assets §1). */
export const ProviderUpdate = input(
  "ProviderUpdate",
  {
    name: optional(neverNull(nullable(label(255)))),
    config: optional(nullable(json())),
    active: optional(neverNull(nullable(flag()))),
    position: optional(neverNull(nullable(integer()))),
  },
  PROVIDER,
);
