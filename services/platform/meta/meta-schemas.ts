import { LOCALES } from "../../../core/config/defaults.ts";
import {
  answer,
  choice,
  flag,
  input,
  instant,
  list,
  nullable,
  optional,
  Type,
  text,
  uuid,
} from "../../../core/declare/schema.ts";

const names = () => list(Type.String());

const branding = {
  brand_name: Type.String(),
  logo_url: nullable(Type.String()),
  icon_url: nullable(Type.String()),
  primary_color: nullable(Type.String()),
  accent_color: nullable(Type.String()),
};

export const TenantMeta = answer("TenantMeta", {
  slug: Type.String(),
  ...branding,
  locale: Type.String(),
  timezone: Type.String(),
  currency: Type.String(),
  country: Type.String(),
  enabled_modules: names(),
  licensed_modules: names(),
  entitled_modules: names(),
  posture: choice(["self-hosted", "hosted"]),
  suspended: flag(),
});

/** `""` clears optional texts and addresses and leaves required ones as they are (conventions §22). */
export const TenantMetaUpdate = input("TenantMetaUpdate", {
  brand_name: optional(text(255)),
  logo_url: optional(nullable(text(2000))),
  icon_url: optional(nullable(text(2000))),
  primary_color: optional(nullable(text(7))),
  accent_color: optional(nullable(text(7))),
  locale: optional(text(35)),
  timezone: optional(text(64)),
  currency: optional(text(3)),
  country: optional(text(2)),
  enabled_modules: optional(Type.Array(text(100), { maxItems: 200 })),
});

export const ModulesMeta = answer("ModulesMeta", {
  enabled_modules: names(),
  licensed_modules: names(),
  entitled_modules: names(),
  local_login_enabled: flag(),
  oidc_enabled: flag(),
  oidc_name: nullable(Type.String()),
  supported_locales: names(),
});

export const OwnMeta = answer("OwnMeta", {
  id: nullable(uuid()),
  email: nullable(Type.String()),
  full_name: nullable(Type.String()),
  permissions: names(),
  locale: nullable(Type.String()),
  avatar_url: nullable(Type.String()),
  is_portal: flag(false),
  impersonated_by: nullable(Type.String()),
  impersonation_expires_at: nullable(instant()),
  impersonation_kind: nullable(Type.String()),
  impersonation_narrowed: flag(false),
});

export const OwnMetaUpdate = input("OwnMetaUpdate", {
  full_name: optional(nullable(text(255))),
  locale: optional(nullable(Type.Unsafe<string>({ type: "string", enum: [...LOCALES] }))),
  custom_avatar_url: optional(nullable(text(2000))),
});
