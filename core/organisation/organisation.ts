import { column, model, type RowOf } from "../database/model.ts";
import type { Organisation } from "../declare/principal.ts";

const { bigint, boolean, instant, text, texts, uuid } = column;

/** The organisations themselves; only the operator writes every column. */
export const OrganisationModel = model("organisations", {
  id: uuid().withDefault(),
  slug: text(),
  name: text(),
  status: text<"active" | "suspended" | "deleted">().withDefault(),
  locale: text().withDefault(),
  timezone: text().withDefault(),
  currency: text().withDefault(),
  country: text().withDefault(),
  enabled_modules: texts().withDefault(),
  plan: text().withDefault(),
  plan_ends_at: instant().orNull(),
  access_revision: bigint().withDefault(),
  brand_name: text().orNull(),
  logo_url: text().orNull(),
  icon_url: text().orNull(),
  primary_color: text().orNull(),
  accent_color: text().orNull(),
  instance_mail: boolean().withDefault(),
  sso_enforced: boolean().withDefault(),
  created_at: instant().withDefault(),
  updated_at: instant().withDefault(),
});
export type OrganisationRow = RowOf<typeof OrganisationModel>;

/** An organisation from its stored row. */
export function organisationOf(row: OrganisationRow): Organisation {
  const { id, slug, name, locale, timezone, currency, country } = row;
  return {
    id,
    slug,
    name,
    status: row.status as Organisation["status"],
    locale,
    timezone,
    currency,
    country,
    enabledModules: row.enabled_modules,
    enforcesSso: row.sso_enforced === true,
    revision: row.access_revision,
  };
}
