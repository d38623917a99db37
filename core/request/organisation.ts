import type { Row } from "../database/statement.ts";
import type { Organisation } from "./context.ts";

/** An organisation from its stored row. */
export function organisationOf(row: Row): Organisation {
  return {
    id: row["id"] as string,
    slug: row["slug"] as string,
    name: row["name"] as string,
    status: row["status"] as Organisation["status"],
    locale: row["locale"] as string,
    timezone: row["timezone"] as string,
    currency: row["currency"] as string,
    country: row["country"] as string,
    enabledModules: row["enabled_modules"] as string[],
    revision: row["access_revision"] as string,
  };
}
