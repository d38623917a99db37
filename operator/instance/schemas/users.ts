import {
  answer,
  choice,
  flag,
  input,
  instant,
  label,
  list,
  nullable,
  optional,
  Type,
  text,
  uuid,
} from "../../../core/schema/schema.ts";

const MemberRead = answer(
  "InstanceMember",
  {
    account_id: uuid(),
    membership_id: uuid(),
    email: Type.String(),
    full_name: nullable(Type.String()),
    roles: list(Type.String()),
    is_active: flag(),
    is_superuser: flag(),
  },
  {
    account_id: "Id of the account, which may belong to other organisations, too",
    membership_id: "Id of the membership",
    email: "E-mail address of the account",
    full_name: "Name of the account; null if none was entered",
    roles: "Keys of the member's roles",
    is_active: "Whether the member can sign in",
    is_superuser: "Whether the account sees the operator's pages on the organisation's own host",
  },
);
export const MemberList = list(MemberRead);

export const UserCreate = input(
  "InstanceUserCreate",
  {
    email: text(320, { example: "owner@agency.example" }),
    full_name: optional(nullable(label(200))),
    role: optional(choice(["owner", "admin", "member", "client"], { default: "member" })),
  },
  {
    email: "E-mail address of the person",
    full_name: "Name of a new account; null or absent for none",
    role: "System role of the member",
  },
);

export const UserCreated = answer(
  "InstanceUserCreated",
  {
    account_id: uuid(),
    membership_id: uuid(),
    email: Type.String(),
    role: Type.String(),
    existing_account: flag(),
    password: nullable(Type.String()),
  },
  {
    account_id: "Id of the account",
    membership_id: "Id of the membership",
    email: "E-mail address in lower case",
    role: "System role of the member",
    existing_account: "Whether the address had an account already",
    password: "Password of a new account, shown once; null if the account keeps its own",
  },
);

export const AccountEmail = input(
  "InstanceAccountEmail",
  { email: text(320, { example: "owner@agency.example" }) },
  { email: "E-mail address of the account" },
);

export const MemberDeactivated = answer(
  "InstanceMemberDeactivated",
  { account_id: uuid(), membership_id: uuid(), changed: flag() },
  {
    account_id: "Id of the account",
    membership_id: "Id of the membership",
    changed: "False if the member was deactivated already",
  },
);

export const NewPassword = answer(
  "InstanceNewPassword",
  { account_id: uuid(), password: Type.String() },
  { account_id: "Id of the account", password: "The new password, shown once" },
);

export const OrganisationKeyCreate = input(
  "InstanceOrganisationKeyCreate",
  {
    service_account: label(120),
    name: optional(label(120)),
    scopes: Type.Array(text(100), { minItems: 1, maxItems: 500, example: ["companies.company.read"] }),
    expires_at: optional(nullable(instant())),
  },
  {
    service_account: "Name of the service account, which is created if it is new",
    name: "Name of the key; that of the service account if absent",
    scopes: "Permissions of the key, or `all` alone",
    expires_at: "When it stops working, at most a year ahead; null or absent if it does not",
  },
);

export const OrganisationKeyCreated = answer(
  "InstanceOrganisationKeyCreated",
  {
    id: uuid(),
    value: Type.String(),
    name: Type.String(),
    service_account_id: uuid(),
    scopes: list(Type.String()),
    expires_at: nullable(instant()),
  },
  {
    id: "Id of the key",
    value: "Value of `X-API-Key` on the organisation's host, shown once",
    name: "Name of the key",
    service_account_id: "Id of the service account",
    scopes: "Permissions of the key",
    expires_at: "When it stops working; null if it does not",
  },
);
