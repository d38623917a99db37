import { answer, flag, input, instant, integer, list, map, nullable, optional, Type, text } from "../../core/schema.ts";

export const MemberRead = answer("MemberRead", {
  avatar_url: nullable(Type.String()),
  company_scope_empty: flag(false),
  deactivated_at: nullable(instant()),
  email: Type.String(),
  full_name: nullable(Type.String()),
  invite_email_error: nullable(Type.String()),
  invite_email_sent: nullable(Type.Boolean()),
  is_active: flag(),
  is_self: flag(),
  membership_id: Type.String(),
  role_ids: list(Type.String()),
  two_factor_enabled: flag(false),
  user_id: Type.String(),
});

export const MemberLookup = answer("MemberLookup", {
  avatar_url: nullable(Type.String()),
  email: nullable(Type.String()),
  full_name: nullable(Type.String()),
  is_active: flag(true),
  user_id: Type.String(),
});

export const RoleRead = answer("RoleRead", {
  description_i18n: map(Type.String()),
  id: Type.String(),
  is_system: flag(),
  key: Type.String(),
  member_count: Type.Integer(),
  name_i18n: map(Type.String()),
  permissions: list(Type.String()),
  position: integer(),
});

const PermissionRead = answer("PermissionRead", {
  group: Type.String(),
  key: Type.String(),
  label_key: Type.String(),
  position: Type.Integer(),
  scopes: list(Type.String()),
});

export const PermissionCatalog = answer("PermissionCatalog", { groups: list(Type.String()), permissions: list(PermissionRead) });

export const LoginForm = input("LoginForm", {
  username: Type.String({ maxLength: 320, example: "owner@demo.localhost" }),
  password: Type.Unsafe<string>({ type: "string", format: "password", maxLength: 1024 }),
  grant_type: optional(Type.Unsafe<string | null>({ type: ["string", "null"], enum: ["password", null] })),
  scope: optional(Type.String({ default: "" })),
  client_id: optional(nullable(text(255))),
  client_secret: optional(Type.Unsafe<string | null>({ type: ["string", "null"], format: "password" })),
});

export const LoginChallenge = answer("LoginChallenge", {
  challenge_token: Type.String(),
  methods: list(Type.String()),
  two_factor_required: flag(true),
});
