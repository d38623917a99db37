import { addDays, eachDay, isoWeekday } from "../../../core/calendar/dates.ts";
import { todayIn } from "../../../core/calendar/zones.ts";
import { DEFAULT_ZONE } from "../../../core/config/defaults.ts";
import { queryOne } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { insert } from "../../../core/database/write.ts";
import type { DemoOrganisation } from "../../../core/declare/module.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { AdsAccount } from "../../../mixins/google-ads/models.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import { type MirroredDay, storeDays } from "../mirror/days.ts";

/** A month; the demo also stores the same month a year earlier for comparison. */
const DAYS = 30;
const CAMPAIGNS = [
  { id: "11001", name: "Merknaam", share: 3 },
  { id: "11002", name: "Diensten regio", share: 5 },
];

const BUSY = statement("select 1 from ads_accounts where organisation_id = $1 limit 1");
const CLIENT = statement(
  "select id, name from companies where organisation_id = $1 order by name collate kantoor_text, id limit 1",
);

/** Figures of one day, derived from its clicks: per click 20 impressions and a cost of 0.85, and one conversion per 25 clicks. */
const figures = (clicks: number) => ({
  impressions: String(clicks * 20),
  clicks: String(clicks),
  cost_micros: String(clicks * 850_000),
  conversions: String(clicks / 25),
  conversions_value: String(clicks * 3),
  all_conversions: String(clicks / 20),
});

/** The days of the demo: fewer clicks at the weekend, multiplied by `factor`. */
function demoDays(from: string, to: string, factor: number): MirroredDay[] {
  return eachDay(from, to).flatMap((day): MirroredDay[] => {
    const base = (isoWeekday(day) > 5 ? 2 : 5) * factor;
    const byCampaign = CAMPAIGNS.map(({ id, name, share }) => ({ id, name, clicks: base * share }));
    const all = byCampaign.reduce((sum, { clicks }) => sum + clicks, 0);
    const mobile = Math.round(all * 0.6);
    return [
      { dimension: "account", day, item: "", item_name: null, ...figures(all) },
      ...byCampaign.map(
        ({ id, name, clicks }): MirroredDay => ({ dimension: "campaign", day, item: id, item_name: name, ...figures(clicks) }),
      ),
      { dimension: "device", day, item: "DESKTOP", item_name: null, ...figures(all - mobile) },
      { dimension: "device", day, item: "MOBILE", item_name: null, ...figures(mobile) },
    ];
  });
}

/**
 * Gives a demo client an advertising account with a month of figures, unless the organisation has an account already (docs/advertising.md).
 */
export async function fillAdvertising({ organisation }: Pick<DemoOrganisation, "organisation">): Promise<void> {
  await inTenancy(
    () => systemRequest("seed", organisation, "write"),
    async () => {
      if (await queryOne(BUSY, [organisation.id])) return;
      const client = await queryOne<{ id: string; name: string }>(CLIENT, [organisation.id]);
      if (!client) return;
      const now = new Date();
      const id = insert(AdsAccount, {
        customer_id: "1234567890",
        company_id: client.id,
        descriptive_name: client.name,
        currency_code: "EUR",
        time_zone: DEFAULT_ZONE,
        backfilled_at: now.toISOString(),
        last_synced_at: now.toISOString(),
      });
      const today = todayIn(DEFAULT_ZONE, now.toISOString(), DEFAULT_ZONE);
      for (const [back, factor] of [
        [0, 2],
        [365, 1],
      ] as const) {
        const span = { from: addDays(today, -back - DAYS), to: addDays(today, -back - 1) };
        storeDays(id, span, demoDays(span.from, span.to, factor));
      }
    },
  );
}
