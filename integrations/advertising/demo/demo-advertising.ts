import { query, queryOne } from "../../../core/database/query.ts";
import { queueInsert } from "../../../core/database/write.ts";
import type { DemoOrganisation } from "../../../core/declare/module.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { organisationZone } from "../../../core/request/today.ts";
import { statement } from "../../../core/sql/statement.ts";
import { demoIds } from "../../../core/values/demo-ids.ts";
import { AdsAccount } from "../../../mixins/google-ads/models.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import { type MirroredDay, storeDays } from "../mirror/days.ts";

const BUSY = statement("select 1 from ads_accounts where organisation_id = $1 limit 1");
/** The Google Ads accounts that marketing's demo has linked, in the order of their clients' websites. */
const LINKS = statement(`select l.id, l.company_id, c.name, regexp_replace(l.external_id, '[^0-9]', '', 'g') as customer_id
  from marketing_links l join companies c on c.organisation_id = l.organisation_id and c.id = l.company_id
  join websites w on w.organisation_id = l.organisation_id and w.id = l.website_id
  join domains d on d.organisation_id = w.organisation_id and d.id = w.domain_id
  where l.organisation_id = $1 and l.source = 'gads' and l.active order by d.name, l.id`);
// Each item takes the figures between two shares of the account's, so that the items of a dimension add up to the account's, to the cent.
const DAYS =
  statement(`select p.dimension, d.day::text as day, p.item, p.item_name, f.impressions, f.clicks, f.cost_micros, f.conversions,
    f.conversions_value, f.conversions as all_conversions
  from marketing_days d
  cross join (values ('account', '', null, 0, 1), ('campaign', '11001', 'Merknaam', 0, 0.375),
    ('campaign', '11002', 'Diensten regio', 0.375, 1), ('device', 'DESKTOP', null, 0, 0.4),
    ('device', 'MOBILE', null, 0.4, 1)) p (dimension, item, item_name, low, high)
  cross join lateral (select (d.metrics ->> 'impressions')::numeric as impressions, (d.metrics ->> 'clicks')::numeric as clicks,
    (d.metrics ->> 'cost')::numeric * 1000000 as micros, (d.metrics ->> 'conversions')::numeric as conversions,
    (d.metrics ->> 'conversionsValue')::numeric as value) m
  cross join lateral (select (round(m.impressions * p.high) - round(m.impressions * p.low))::text as impressions,
    (round(m.clicks * p.high) - round(m.clicks * p.low))::text as clicks,
    (round(m.micros * p.high) - round(m.micros * p.low))::text as cost_micros,
    (round(m.conversions * p.high) - round(m.conversions * p.low))::text as conversions,
    (round(m.value * p.high, 2) - round(m.value * p.low, 2))::text as conversions_value) f
  where d.organisation_id = $1 and d.link_id = $2 order by d.day`);

interface Link {
  id: string;
  company_id: string;
  name: string;
  customer_id: string;
}

/**
 * Gives each demo client with Google Ads in marketing an advertising account with the same figures, unless the organisation has an account
 * already (docs/advertising.md). They cover the months of the demo's reports, and the same months a year earlier.
 */
export async function fillAdvertising({ organisation }: Pick<DemoOrganisation, "organisation">): Promise<void> {
  await inTenancy(
    () => systemRequest("seed", organisation, "write"),
    async () => {
      if (await queryOne(BUSY, [organisation.id])) return;
      const ids = demoIds(organisation);
      const now = new Date().toISOString();
      for (const link of await query<Link>(LINKS, [organisation.id])) {
        const days = await query<MirroredDay>(DAYS, [organisation.id, link.id]);
        const [first, last] = [days[0], days.at(-1)];
        if (!first || !last) continue;
        const id = queueInsert(AdsAccount, {
          id: ids("ads-platform/accounts"),
          customer_id: link.customer_id,
          company_id: link.company_id,
          descriptive_name: link.name,
          currency_code: "EUR",
          time_zone: organisationZone(),
          backfilled_at: now,
          last_synced_at: now,
        });
        storeDays(id, { from: first.day, to: last.day }, days);
      }
    },
  );
}
