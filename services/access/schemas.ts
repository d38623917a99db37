import { answer, flag, input, instant, line, list, nullable, optional, Type, text } from "../../core/schema/schema.ts";
import { inviteMailFields } from "./invite-mail.ts";

const MEMBER = {
  avatar_url: "Address of the picture; null if none",
  company_scope_empty: "Whether it is a client login that sees no client",
  deactivated_at: "When the member was deactivated here, UTC; null while not",
  email: "E-mail address of the account",
  full_name: "Full name; null if none",
  is_active: "Whether the account is enabled and the member not deactivated here",
  is_self: "Whether it is the caller",
  membership_id: "The membership in this organisation",
  role_ids: "Roles of the member: one system role and any number of custom ones",
  two_factor_enabled: "Whether sign-in requires a second factor",
  user_id: "The account",
};

export const MemberRead = answer(
  "MemberRead",
  {
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
  },
  MEMBER,
);

export const MemberInvite = input(
  "MemberInvite",
  {
    email: Type.String({ format: "email" }),
    full_name: optional(nullable(text(255))),
    role: optional(line({ default: "member" })),
    send_email: optional(flag(true)),
  },
  {
    email: "E-mail address. Where an account has it, that account becomes the member",
    full_name: "Full name of a new account, or of one without a name; null if none",
    role: "Key of the system role: `owner`, `admin`, `member` or `client`",
    send_email: "Whether to mail a link to set a password, good for seven days",
  },
);
export const MemberRoleUpdate = input(
  "MemberRoleUpdate",
  { role: line() },
  { role: "Key of the new system role; custom roles stay" },
);
export const MemberAccountUpdate = input(
  "MemberAccountUpdate",
  {
    active: optional(flag()),
    full_name: optional(nullable(text(255))),
  },
  {
    active: "`false` deactivates the member in this organisation, `true` lifts that",
    full_name: "Full name of the account; blank or null clears it",
  },
);

export const MemberLookup = answer(
  "MemberLookup",
  {
    avatar_url: nullable(Type.String()),
    email: nullable(Type.String()),
    full_name: nullable(Type.String()),
    is_active: flag(true),
    user_id: Type.String(),
  },
  { ...MEMBER, email: "E-mail address; null for callers who are client logins" },
);

const PermissionRead = answer(
  "PermissionRead",
  {
    group: Type.String(),
    key: Type.String(),
    label_key: Type.String(),
    position: Type.Integer(),
    scopes: list(Type.String()),
  },
  {
    group: "Group it is shown in",
    key: "The permission; where it has scopes, roles hold `<key>:own` or `<key>:any`",
    label_key: "Translation key of its name",
    position: "Position in its group: lower numbers come first",
    scopes: "`own` and `any` where it has scopes, else empty",
  },
);

export const PermissionCatalog = answer(
  "PermissionCatalog",
  { groups: list(Type.String()), permissions: list(PermissionRead) },
  { groups: "Groups in the order of display", permissions: "Every permission of the service" },
);
