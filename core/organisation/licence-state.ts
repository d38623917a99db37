import { runtime } from "../config/runtime.ts";
import { type LicenceState, licensingOf } from "../declare/licence.ts";
import type { Row } from "../sql/statement.ts";

/** The columns of `StoredLicence`, as SQL with the organisation as `o`. */
export const LICENCE_COLUMNS = `o.plan, o.plan_ends_at, (select installed_at from installation) as installed_at,
    (select coalesce(json_agg(json_build_object('module', l.module, 'expiresAt', l.expires_at, 'graceDays', l.grace_days)), '[]')
       from product_licences l) as licences`;

/** The stored facts of a licence state. */
export interface StoredLicence {
  installed_at: string;
  licences: LicenceState["modules"];
  plan: string | null;
  plan_ends_at: string | null;
}

/** The licence state that decides which modules an organisation may write, from a row with the columns of `StoredLicence`. */
export function licenceOf(row: StoredLicence | Row, config = runtime().config): LicenceState {
  const { installed_at, licences, plan, plan_ends_at } = row as StoredLicence;
  return { licensing: licensingOf(config), installedAt: installed_at, modules: licences, plan, planEndsAt: plan_ends_at };
}
