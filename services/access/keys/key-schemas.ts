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
} from "../../../core/declare/schema.ts";

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

export const ApiKeyRead = answer("ApiKeyRead", keyProperties);
export const ApiKeyCreated = answer("ApiKeyCreated", { ...keyProperties, secret: Type.String() });
export const ApiKeyCreate = input("ApiKeyCreate", {
  expires_at: optional(nullable(instant())),
  name: label(120),
  scopes: Type.Array(Type.String({ example: "companies.company.read" }), { minItems: 1 }),
});

export const ServiceAccountRead = answer("ServiceAccountRead", {
  active: flag(),
  created_at: instant(),
  created_by_user_id: nullable(uuid()),
  id: uuid(),
  keys: list(ApiKeyRead),
  name: Type.String(),
  org_id: uuid(),
});
export const ServiceAccountCreate = input("ServiceAccountCreate", { name: label(120) });

export const UserRead = answer("UserRead", {
  email: email(),
  full_name: nullable(Type.String()),
  id: uuid(),
  is_active: flag(true),
  is_superuser: flag(false),
  is_verified: flag(false),
});
export const UserUpdate = input("UserUpdate", {
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
});
export const EmailChange = input("EmailChange", {
  email: email(),
  password: Type.Unsafe<string>({ type: "string", minLength: 1, maxLength: 128 }),
});
