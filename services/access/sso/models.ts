import { column, type RowOf, tenantModel } from "../../../core/database/model.ts";

const { boolean, instant, sealed, text } = column;

/** An organisation's own identity provider; one row at most. */
export const SsoSettings = tenantModel("sso_settings", {
  enabled: boolean().withDefault(),
  enforced: boolean().withDefault(),
  name: text().withDefault(),
  discovery_url: text().orNull(),
  client_id: text().orNull(),
  client_secret: sealed().orNull(),
  default_role: text().withDefault(),
  auto_provision: boolean().withDefault(),
  tested_at: instant().orNull(),
});
export type SsoSettingsRow = RowOf<typeof SsoSettings>;
