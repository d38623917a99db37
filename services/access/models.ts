import { tenantModel, types } from "../../core/database/model.ts";

export const Membership = tenantModel("memberships", { account_id: types.UUID, deactivated_at: types.DATE });

export const Role = tenantModel("roles", {
  key: types.TEXT,
  is_system: types.BOOLEAN,
  name_i18n: types.JSONB,
  description_i18n: types.JSONB,
  position: types.INTEGER,
  permissions: types.ARRAY(types.TEXT),
});

export const ServiceAccount = tenantModel("service_accounts", {
  name: types.TEXT,
  is_active: types.BOOLEAN,
  created_by_account_id: types.UUID,
});
