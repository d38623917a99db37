import { column, model, tenantModel } from "../../core/database/model.ts";
import { conflict, refusal } from "../../core/errors/errors.ts";

const { boolean, hashed, instant, integer, json, text, texts, uuid } = column;

/** A membership. Accounts and impersonations have no model: what their constraints mean is declared here. */
export const Membership = tenantModel("memberships", { account_id: uuid(), deactivated_at: instant().orNull() }).whenViolated({
  memberships_organisation_id_account_id_key: () => conflict(),
  accounts_email_key: () => refusal("email_taken"),
  accounts_pkey: () => refusal("register_user_already_exists"),
  impersonations_one_at_a_time: () => conflict("errors.impersonation_nested"),
});

export const Role = tenantModel("roles", {
  key: text(),
  is_system: boolean().withDefault(),
  name_i18n: json<Record<string, string>>().withDefault(),
  description_i18n: json<Record<string, string>>().withDefault(),
  position: integer().withDefault(),
  permissions: texts().withDefault(),
}).whenViolated({
  roles_organisation_id_key_key: () => conflict("errors.conflict", "key"),
});

export const ServiceAccount = tenantModel("service_accounts", {
  name: text(),
  is_active: boolean().withDefault(),
  created_by_account_id: uuid().orNull(),
});

/** Keys and sessions have no version: their only change is their end. */
export const ApiKey = model("api_keys", {
  id: uuid().withDefault(),
  organisation_id: uuid().byPlatform(),
  name: text(),
  lookup: text(),
  secret_hash: hashed(),
  scopes: texts(),
  account_id: uuid().orNull(),
  service_account_id: uuid().orNull(),
  parent_key_id: uuid().orNull(),
  expires_at: instant().orNull(),
  revoked_at: instant().orNull(),
  last_used_at: instant().orNull(),
  expiry_told_at: instant().orNull(),
  oauth_client_id: uuid().orNull(),
  oauth_resource: text().orNull(),
  created_at: instant().withDefault(),
  updated_at: instant().withDefault(),
});

export const Session = model("sessions", {
  id: uuid().withDefault(),
  organisation_id: uuid().byPlatform(),
  account_id: uuid(),
  token_hash: hashed(),
  method: text<"password" | "sso">().withDefault(),
  address: text().orNull(),
  user_agent: text().orNull(),
  created_at: instant().withDefault(),
  last_used_at: instant().withDefault(),
  expires_at: instant(),
  ended_at: instant().orNull(),
});

export const UserPreferences = tenantModel("user_preferences", { account_id: uuid(), prefs: json().withDefault() });

/** Written once and never changed, so it has no version. */
export const AuditLine = model("access_audit", {
  id: uuid().withDefault(),
  organisation_id: uuid().byPlatform(),
  action: text(),
  actor_id: uuid().orNull(),
  actor_email: text().orNull(),
  role_id: uuid().orNull(),
  role_key: text().orNull(),
  target_account_id: uuid().orNull(),
  detail: json().withDefault(),
  /** `X-Request-Id` of the request; null for the operator's command line. */
  request_id: text().orNull(),
  created_at: instant().withDefault(),
});
