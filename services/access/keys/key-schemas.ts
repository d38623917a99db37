import {
  answer,
  email,
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

const KEY = {
  created_at: "When it was made, UTC",
  expires_at: "When it stops working, UTC; null for never",
  id: "The key",
  last_used_at: "When it was last used, UTC, up to five minutes late; null for never",
  name: "Name of the key",
  principal_type: "Who it acts as: `user` or `service_account`",
  redacted: "The first part of the key, to recognise it by",
  revoked_at: "When it was revoked, UTC; null while it is not",
  scopes: "Permissions of the key. A personal key has each only as far as its owner has it now",
  service_account_id: "The service account it acts as; null for a personal key",
  user_id: "The person it acts as; null for a key of a service account",
};

const USER = {
  id: "The account",
  email: "E-mail address, the name to sign in with",
  full_name: "Full name; null if none",
  is_active: "Whether the account can sign in",
  is_superuser: "Whether it is an instance administrator",
  is_verified: "Whether the e-mail address is proven",
};

const keyProperties = {
  created_at: instant(),
  expires_at: nullable(instant()),
  id: uuid(),
  last_used_at: nullable(instant()),
  name: Type.String(),
  org_id: uuid(),
  principal_type: Type.String(),
  redacted: Type.String(),
  revoked_at: nullable(instant()),
  scopes: list(Type.String()),
  service_account_id: nullable(uuid()),
  user_id: nullable(uuid()),
};

export const ApiKeyRead = answer("ApiKeyRead", keyProperties, KEY);
export const ApiKeyCreated = answer(
  "ApiKeyCreated",
  { ...keyProperties, secret: Type.String() },
  { ...KEY, secret: "The whole key. No other answer contains it" },
);
export const ApiKeyCreate = input(
  "ApiKeyCreate",
  {
    expires_at: optional(nullable(instant())),
    name: label(120),
    scopes: Type.Array(Type.String({ example: "companies.company.read" }), { minItems: 1 }),
  },
  {
    expires_at: "When the key stops working, at most 366 days ahead; null for never. Without an offset: UTC",
    name: "Name of the key, to recognise it by",
    scopes: "Permissions of the key, in stored form; the caller must have each of them at least as broadly",
  },
);

export const ServiceAccountRead = answer(
  "ServiceAccountRead",
  {
    active: flag(),
    created_at: instant(),
    created_by_user_id: nullable(uuid()),
    id: uuid(),
    keys: list(ApiKeyRead),
    name: Type.String(),
    org_id: uuid(),
  },
  {
    active: "Whether its keys work",
    created_by_user_id: "Who made it; null if that account is gone",
    keys: "Its keys, newest first",
    name: "Name of the service account",
  },
);
export const ServiceAccountCreate = input(
  "ServiceAccountCreate",
  { name: label(120) },
  { name: "Name of the service account; several can have the same" },
);

export const UserRead = answer(
  "UserRead",
  {
    email: email(),
    full_name: nullable(Type.String()),
    id: uuid(),
    is_active: flag(true),
    is_superuser: flag(false),
    is_verified: flag(false),
  },
  USER,
);
export const UserUpdate = input(
  "UserUpdate",
  {
    email: optional(nullable(email())),
    full_name: optional(nullable(text(255))),
    is_active: optional(nullable(Type.Boolean())),
    is_superuser: optional(nullable(Type.Boolean())),
    is_verified: optional(nullable(Type.Boolean())),
    password: optional(nullable(Type.String())),
    current_password: optional(
      nullable(
        Type.Unsafe<string>({
          type: "string",
          maxLength: 128,
          description:
            "The password the caller's own account has now. Required with a `password` for that account unless the session signed in within the last ten minutes; a wrong one is refused in any case. Null and empty mean absent; ignored for other accounts",
        }),
      ),
    ),
  },
  {
    ...USER,
    email: "New e-mail address; only an instance administrator sets it here",
    is_active: "Whether the account can sign in anywhere; only an instance administrator sets it",
    is_superuser: "Accepted and ignored",
    is_verified: "Whether the e-mail address is proven; only an instance administrator sets it",
    password:
      "New password: 8 to 128 characters, and not the e-mail address; null leaves it. All other sessions of the account end",
  },
);
export const EmailChange = input(
  "EmailChange",
  {
    email: email(),
    password: Type.Unsafe<string>({ type: "string", minLength: 1, maxLength: 128 }),
  },
  { email: "The new e-mail address, stored in lower case and not verified", password: "The present password of the account" },
);
