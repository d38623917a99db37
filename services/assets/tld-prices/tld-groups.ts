import { query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { readInstant, type Static } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { visibleDomain } from "../domains/domain.list.ts";
import { labelOf } from "../domains/domain-name.ts";
import { shownTld } from "./tld-name.ts";
import type { TldPriceGroup, TldPriceRead } from "./tld-schemas.ts";

type Row = Static<typeof TldPriceRead>;
type Group = Static<typeof TldPriceGroup>;

/** Every TLD with prices, or with domains visible to the caller, with both. */
const GROUPS = statement(`with counted as (select t.tld, count(*)::int as domains from domains t
    where t.organisation_id = $1 and t.tld is not null and ($2::uuid[] is null or ${visibleDomain("$2::uuid[]")}) group by t.tld),
  priced as (select p.tld, json_agg(json_build_object('id', p.id, 'tld', p.tld, 'amount', p.amount::text, 'currency', p.currency,
      'valid_from', p.valid_from) order by p.valid_from desc) as rows, max(p.updated_at) as changed_at from tld_prices p where p.organisation_id = $1 group by p.tld)
  select tld, coalesce(c.domains, 0) as domains, coalesce(p.rows, '[]') as rows from counted c full join priced p using (tld)
  where $3::timestamptz is null or p.changed_at >= $3 order by tld`);

/**
 * The price list entry of one TLD (assets §3 "GET").
 * @param rows its prices, newest first
 * @param today the organisation's day
 */
export function groupOf(
  { tld, domains, rows }: { tld: string; domains: number; rows: readonly Row[] },
  { today, currency }: { today: string; currency: string },
): Group {
  const shown = rows.map(shownTld);
  const history = shown.filter(({ valid_from }) => valid_from <= today);
  const upcoming = shown.filter(({ valid_from }) => valid_from > today).reverse();
  const [current = null] = history;
  return {
    tld: labelOf(tld),
    currency: (current ?? upcoming[0])?.currency ?? currency,
    domain_count: domains,
    current,
    upcoming,
    history,
  };
}

/** The price list, by TLD. @param since limits it to TLDs with a price written at or after this instant */
export async function tldGroups(since?: string): Promise<Group[]> {
  const { organisation, principal } = request();
  const found = await query<{ tld: string; domains: number; rows: Row[] }>(GROUPS, [
    organisation.id,
    principal?.selection ?? null,
    since === undefined ? null : readInstant(since),
  ]);
  const today = organisationToday();
  return found.map((group) => groupOf(group, { today, currency: organisation.currency }));
}
