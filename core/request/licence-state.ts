import { runtime } from "../config/runtime.ts";
import type { Row } from "../database/statement.ts";
import { type LicenceState, licensingOf } from "../declare/licence.ts";

/** The columns that a licence state is made of, as statements select them. */
export interface StoredLicence {
  installed_at: string;
  licences: LicenceState["modules"];
  plan: string | null;
  plan_ends_at: string | null;
}

/** What decides which modules an organisation may write, from a row that has the columns of `StoredLicence`. */
export function licenceOf(row: StoredLicence | Row, config = runtime().config): LicenceState {
  const { installed_at, licences, plan, plan_ends_at } = row as StoredLicence;
  return { licensing: licensingOf(config), installedAt: installed_at, modules: licences, plan, planEndsAt: plan_ends_at };
}
