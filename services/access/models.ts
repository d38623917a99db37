import { column, model, tenantModel } from "../../core/database/model.ts";

const { boolean, instant, integer, json, text, texts, uuid } = column;

export const Membership = tenantModel("memberships", { account_id: uuid(), deactivated_at: instant().orNull() });

export const Role = tenantModel("roles", {
  key: text(),
  is_system: boolean().withDefault(),
  name_i18n: json<Record<string, string>>().withDefault(),
  description_i18n: json<Record<string, string>>().withDefault(),
  position: integer().withDefault(),
  permissions: texts().withDefault(),
});

export const ServiceAccount = tenantModel("service_accounts", {
  name: text(),
  is_active: boolean().withDefault(),
  created_by_account_id: uuid().orNull(),
});

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
  created_at: instant().withDefault(),
});
