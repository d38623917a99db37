import { answer, flag, input, instant, line, list, nullable, optional, Type, text } from "../../core/declare/schema.ts";
import { inviteMailFields } from "./invite-mail.ts";

export const MemberRead = answer("MemberRead", {
  avatar_url: nullable(Type.String()),
  company_scope_empty: flag(false),
  deactivated_at: nullable(instant()),
  email: Type.String(),
  full_name: nullable(Type.String()),
  ...inviteMailFields,
  is_active: flag(),
  is_self: flag(),
  membership_id: Type.String(),
  role_ids: list(Type.String()),
  two_factor_enabled: flag(false),
  user_id: Type.String(),
});

export const MemberInvite = input("MemberInvite", {
  email: Type.String({ format: "email" }),
  full_name: optional(nullable(text(255))),
  role: optional(line({ default: "member" })),
  send_email: optional(flag(true)),
});
export const MemberRoleUpdate = input("MemberRoleUpdate", { role: line() });
export const MemberAccountUpdate = input("MemberAccountUpdate", {
  active: optional(flag()),
  full_name: optional(nullable(text(255))),
});

export const MemberLookup = answer("MemberLookup", {
  avatar_url: nullable(Type.String()),
  email: nullable(Type.String()),
  full_name: nullable(Type.String()),
  is_active: flag(true),
  user_id: Type.String(),
});

const PermissionRead = answer("PermissionRead", {
  group: Type.String(),
  key: Type.String(),
  label_key: Type.String(),
  position: Type.Integer(),
  scopes: list(Type.String()),
});

export const PermissionCatalog = answer("PermissionCatalog", { groups: list(Type.String()), permissions: list(PermissionRead) });
