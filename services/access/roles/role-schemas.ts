import {
  answer,
  flag,
  input,
  integer,
  label,
  list,
  map,
  multiline,
  names,
  nullable,
  optional,
  Type,
} from "../../../core/declare/schema.ts";

/** What a role is for may take several lines. */
const descriptions = (options = {}) => map(multiline(), options);

export const RoleRead = answer("RoleRead", {
  description_i18n: descriptions(),
  id: Type.String(),
  is_system: flag(),
  key: Type.String(),
  member_count: Type.Integer(),
  name_i18n: names(),
  permissions: list(Type.String()),
  position: integer(),
});

export const RoleCreate = input("RoleCreate", {
  key: label(64),
  name_i18n: optional(names({ default: {} })),
  description_i18n: optional(descriptions({ default: {} })),
  permissions: optional(nullable(list(Type.String()))),
  position: optional(integer(undefined, undefined, { default: 100 })),
});

/** Null leaves a field as it is, like one that was not sent (access §5). */
export const RoleUpdate = input("RoleUpdate", {
  name_i18n: optional(nullable(names())),
  description_i18n: optional(nullable(descriptions())),
  permissions: optional(nullable(list(Type.String()))),
  position: optional(nullable(integer())),
});

export const EffectivePermissions = answer("EffectivePermissions", {
  membership_id: Type.String(),
  permissions: list(Type.String()),
  role_ids: list(Type.String()),
  user_id: Type.String(),
});

export const MembershipRolesUpdate = input("MembershipRolesUpdate", { role_ids: list(Type.String()) });

export const UserPrefs = answer("UserPrefs", {
  prefs: Type.Unsafe<Record<string, unknown>>({ type: "object", additionalProperties: true, default: {} }),
});
export const UserPrefsUpdate = input("UserPrefsUpdate", {
  prefs: optional(Type.Unsafe<Record<string, unknown>>({ type: "object", additionalProperties: true, default: {} })),
});
