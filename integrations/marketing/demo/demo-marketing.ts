import { addDays, addMonths, endOf } from "../../../core/calendar/calendar.ts";
import { comparedSpan, namedSpan } from "../../../core/calendar/named-spans.ts";
import { enqueue, query, queryOne } from "../../../core/database/query.ts";
import { queueInsert } from "../../../core/database/write.ts";
import type { DemoOrganisation } from "../../../core/declare/module.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { statement } from "../../../core/sql/statement.ts";
import { demoIds } from "../../../core/values/demo-ids.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import { MarketingLink } from "../models.ts";
import { keepDemoAnswers } from "./demo-answers.ts";

const CLIENTS = 4;
/** The linked sources of each demo client, by its position. */
const LINKED: readonly (readonly string[])[] = [
  ["ga4", "gsc", "gads", "seranking"],
  ["ga4", "gsc", "gads"],
  ["ga4", "gsc"],
  ["gsc"],
];
/** Days of stored figures: enough to compare each of the last two months with the same month of the year before. */
const DAYS = 460;
/** Days that each source lags behind, like the real Search Console. */
const LATE: Readonly<Record<string, number>> = { gsc: 2 };
/** Spans for which the demo stores visitor counts. */
const SPANS = ["7d", "30d", "month", "last_month"];

const BUSY = statement("select 1 from marketing_links where organisation_id = $1 limit 1");
const SITES = statement(`select w.id, w.company_id, d.name, d.label from websites w
    join domains d on d.organisation_id = w.organisation_id and d.id = w.domain_id
  where w.organisation_id = $1 and w.company_id is not null order by d.name limit ${CLIENTS}`);
const CONNECTION = statement(
  "select id from workspace_connections where organisation_id = $1 and status = 'active' order by id limit 1",
);
// Fewer visits at weekends, a small daily growth and a wave of some days; no randomness, so every demo looks the same.
const FIGURES =
  statement(`insert into marketing_days (organisation_id, link_id, company_id, source, day, metrics, channels, currency)
  select $1, l.id, l.company_id, l.source, d.day,
      case l.source
        when 'ga4' then jsonb_build_object('sessions', v.visits, 'totalUsers', round(v.visits * 0.85), 'newUsers', round(v.visits * 0.6),
          'keyEvents', round(v.visits / 25), 'engagementRate', 0.55 + d.number % 7 * 0.01, 'totalRevenue', round(v.visits * 0.9, 2))
        when 'gsc' then jsonb_build_object('clicks', round(v.visits * 0.45), 'impressions', round(v.visits * 14),
          'ctr', round(round(v.visits * 0.45) / round(v.visits * 14), 6), 'position', 11 - d.number * 0.005 + d.number % 5 * 0.1)
        when 'gads' then jsonb_build_object('cost', round(v.visits * 0.22, 2), 'clicks', round(v.visits * 0.2),
          'impressions', round(v.visits * 5), 'conversions', round(v.visits / 60), 'conversionsValue', round(v.visits * 0.5, 2))
        else jsonb_build_object('avg_position', round(14.5 - d.number * 0.007, 1), 'top3', 6 - d.months / 6, 'top10', 15 - d.months / 3,
          'top30', 29 - d.months / 2, 'keywords_ranking', 39 - d.months / 4, 'keywords_tracked', 45)
      end,
      case l.source when 'ga4' then jsonb_build_object('Organic Search', v.searched, 'Direct', v.direct, 'Organic Social', v.social,
        'Referral', v.visits - v.searched - v.direct - v.social) end,
      case when l.source in ('ga4', 'gads') then 'EUR' end
    from jsonb_to_recordset($2::jsonb) l (id uuid, company_id uuid, source text, size int, late int)
    cross join lateral (select $3::date - 1 - n as day, ${DAYS} - n as number,
      (extract(year from age(date_trunc('month', $3::date), date_trunc('month', $3::date - 1 - n))) * 12
        + extract(month from age(date_trunc('month', $3::date), date_trunc('month', $3::date - 1 - n))))::int as months
      from generate_series(l.late, ${DAYS - 1}) n) d
    cross join lateral (select round((l.size + d.number * 0.05) * (array[1.04, 1.08, 1.05, 1, 0.93, 0.58, 0.64])[extract(isodow from d.day)::int]
      * (1 + 0.06 * sin(d.number * 0.9))::numeric) as visits) n
    cross join lateral (select n.visits, round(n.visits * (0.44 + d.number * 0.0001)) as searched, round(n.visits * 0.29) as direct,
      round(n.visits * 0.09) as social) v`);
const PEOPLE =
  statement(`insert into marketing_period_values (organisation_id, link_id, metric, start_on, end_on, value, stored_at)
  select d.organisation_id, d.link_id, 'totalUsers', s.start_on, s.end_on, round(sum((d.metrics ->> 'totalUsers')::numeric) * 0.8), $3
    from jsonb_to_recordset($2::jsonb) s (start_on date, end_on date)
    join marketing_days d on d.organisation_id = $1 and d.source = 'ga4' and d.day between s.start_on and s.end_on
    group by d.organisation_id, d.link_id, s.start_on, s.end_on`);

interface Site {
  id: string;
  company_id: string;
  name: string;
  label: string;
}

const ACCOUNTS: Readonly<
  Record<string, (site: Site, place: number) => { external_id: string; config: Record<string, unknown> }>
> = {
  ga4: (_site, place) => ({
    external_id: `properties/${30_000_000 + place}`,
    config: { currency: "EUR", propertyType: "PROPERTY_TYPE_ORDINARY" },
  }),
  gsc: ({ name }) => ({ external_id: `sc-domain:${name}`, config: { siteType: "domain", permissionLevel: "siteOwner" } }),
  gads: (_site, place) => ({ external_id: `${1_000_000_000 + place}`, config: { currency: "EUR", manager_id: null } }),
  seranking: ({ name }, place) => ({ external_id: `${70_000 + place}`, config: { url: name, keyword_count: 45 } }),
};

/** Links the demo organisation's first clients to sources and stores figures, unless it has links already (docs/marketing.md). */
export async function fillMarketing({ organisation }: Pick<DemoOrganisation, "organisation">): Promise<void> {
  const filled = await inTenancy(
    () => systemRequest("seed", organisation, "write"),
    async () => {
      if (await queryOne(BUSY, [organisation.id])) return undefined;
      const sites = await query<Site>(SITES, [organisation.id]);
      const connection = await queryOne<{ id: string }>(CONNECTION, [organisation.id]);
      const ids = demoIds(organisation);
      const today = organisationToday();
      const links = sites.flatMap((site, place) =>
        (LINKED[place] ?? []).map((source) => ({
          ...site,
          place,
          ...ACCOUNTS[source]?.(site, place),
          id: ids("marketing/links"),
          website_id: site.id,
          source,
          size: 120 - place * 25,
          late: LATE[source] ?? 0,
        })),
      );
      for (const { id, company_id, website_id, source, external_id = "", config = {}, label, late } of links)
        queueInsert(MarketingLink, {
          id,
          company_id,
          website_id,
          source,
          external_id,
          display_name: label,
          config,
          connection_id: source === "seranking" ? null : (connection?.id ?? null),
          backfill_done: true,
          read_days: `{[${addDays(today, -DAYS)},${addDays(today, -late)})}`,
          last_synced_at: new Date().toISOString(),
        });
      const stored = links.map(({ id, company_id, source, size, late }) => ({ id, company_id, source, size, late }));
      enqueue(FIGURES, [organisation.id, JSON.stringify(stored), today]);
      const from = addMonths(namedSpan("last_month", today).from, -1);
      const reported = [namedSpan("last_month", today), { from, to: endOf("month", from) }];
      const spans = [...SPANS.map((token) => namedSpan(token, today)), ...reported].flatMap((span) => {
        return [span, comparedSpan(span, "year"), comparedSpan(span, "previous")].map(({ from: start_on, to: end_on }) => ({
          start_on,
          end_on,
        }));
      });
      // Two of the spans may cover the same days.
      const each = [...new Map(spans.map((span) => [JSON.stringify(span), span])).values()];
      enqueue(PEOPLE, [organisation.id, JSON.stringify(each), new Date().toISOString()]);
      return { links, spans: reported.flatMap((span) => [span, comparedSpan(span, "year")]) };
    },
  );
  if (!filled) return;
  await inTenancy(
    () => systemRequest("seed", organisation, "write"),
    () => keepDemoAnswers(organisation.id, filled.links, filled.spans),
  );
}
