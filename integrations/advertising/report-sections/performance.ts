import { eachDay, earlier, type IsoDate, later } from "../../../core/calendar/dates.ts";
import { queryAll } from "../../../core/database/query.ts";
import {
  cutRows,
  type GatheredFor,
  type GatherSection,
  type ReportColumn,
  type ReportSectionData,
  type ReportSeries,
  type ReportSpan,
  type ReportTable,
  type ReportTotal,
  type ReportValueKind,
} from "../../../core/declare/report-sections.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { decimal } from "../../../core/values/money.ts";
import { dailyLine } from "../../../mixins/report-sections/report-line.ts";
import { DAYS_NOT_SYNCED, exactOf, type StoredSums, SUMS, TEXTS } from "../mirror/trend.ts";
import { byCost, type Figures, figuresOf, type Sums, total } from "../reads/figures.ts";
import { type ReportedAccount, reportedAccounts } from "./reported-accounts.ts";

/** Most campaigns in a table (workspace-reporting §1.6). */
const MOST_CAMPAIGNS = 8;

const DAYS = statement(`select account_id, day, ${TEXTS} from ads_days
  where organisation_id = $1 and account_id = any($2::uuid[]) and dimension = 'account'
    and (day between $3::date and $4::date or day between $5::date and $6::date) order by day`);
const CAMPAIGNS = statement(`select * from (select account_id, item, (array_agg(item_name order by day desc))[1] as name, ${SUMS},
      row_number() over (partition by account_id order by sum(cost_micros) desc, item) as place,
      (count(*) over (partition by account_id))::int as campaigns
    from ads_days where organisation_id = $1 and account_id = any($2::uuid[]) and dimension = 'campaign'
      and day between $3::date and $4::date group by account_id, item) c
  where c.place <= ${MOST_CAMPAIGNS} order by c.cost_micros::numeric desc, c.item`);
const STORED =
  "select d.day from ads_days d where d.organisation_id = $1 and d.account_id = a and d.dimension = 'account' order by d.day";
const STORED_DAYS = statement(`select a as account_id, (${STORED} desc limit 1) as newest, (${STORED} limit 1) as first
  from unnest($2::uuid[]) a`);

interface Words {
  nl: string;
  en: string;
}
interface Metric extends Words {
  kind: ReportValueKind;
  lowerIsBetter?: true;
}

/** The printed figures of a group, in order. */
const METRICS: Readonly<Partial<Record<keyof Figures, Metric>>> = {
  cost: { nl: "Kosten", en: "Cost", kind: "money" },
  impressions: { nl: "Vertoningen", en: "Impressions", kind: "count" },
  clicks: { nl: "Klikken", en: "Clicks", kind: "count" },
  ctr: { nl: "Doorklikratio", en: "Click-through rate", kind: "percent" },
  average_cpc: { nl: "Kosten per klik", en: "Cost per click", kind: "money", lowerIsBetter: true },
  conversions: { nl: "Conversies", en: "Conversions", kind: "count" },
  conversion_rate: { nl: "Conversieratio", en: "Conversion rate", kind: "percent" },
  cost_per_conversion: { nl: "Kosten per conversie", en: "Cost per conversion", kind: "money", lowerIsBetter: true },
  conversions_value: { nl: "Conversiewaarde", en: "Conversion value", kind: "money" },
};
/** The printed figures of a campaign, and whether they add up. */
const OF_CAMPAIGNS = {
  cost: true,
  impressions: true,
  clicks: true,
  ctr: false,
  conversions: true,
  cost_per_conversion: false,
} as const satisfies Partial<Record<keyof Figures, boolean>>;
const CAMPAIGN: Words = { nl: "Campagne", en: "Campaign" };

type DayRow = StoredSums & { account_id: string; day: IsoDate };
/** A campaign, and the number of all campaigns of its account. */
type CampaignRow = StoredSums & { account_id: string; item: string; name: string | null; campaigns: number };

/** Accounts printed together. */
interface Group {
  name: string;
  accounts: readonly ReportedAccount[];
}

/** The stored figures of a report's accounts. */
interface Mirrored {
  asked: GatheredFor;
  days: readonly DayRow[];
  campaigns: readonly CampaignRow[];
}

const currencyOf = (accounts: readonly ReportedAccount[]): string | null => {
  const [one, ...others] = new Set(accounts.map(({ currency_code }) => currency_code));
  return others.length === 0 ? (one ?? null) : null;
};
const hasOneCurrency = (accounts: readonly ReportedAccount[]): boolean =>
  new Set(accounts.map(({ currency_code }) => currency_code)).size === 1;

/** The printed form of a value: ratios become percentages. */
const printed = (value: number | null, kind: ReportValueKind): number | null =>
  value !== null && kind === "percent" ? decimal(value).times(100).toNumber() : value;

const within = (rows: readonly DayRow[], { start, end }: ReportSpan, { accounts }: Group): Sums[] =>
  rows.flatMap((row) =>
    row.day >= start && row.day <= end && accounts.some(({ id }) => id === row.account_id) ? [exactOf(row)] : [],
  );

/** A label; amounts name their currency if the section has several. */
const labelled = ({ nl, en }: Words, kind: ReportValueKind, suffix: string): Words =>
  kind === "money" ? { nl: nl + suffix, en: en + suffix } : { nl, en };

/** Whether accounts have a comparison: every day of the span before was mirrored for each of them (marketing-ads §1). */
function isCompared({ asked: { compared }, days }: Mirrored, { accounts }: Group): boolean {
  const stored = new Set(days.map(({ account_id, day }) => `${account_id} ${day}`));
  const each = eachDay(compared.start, compared.end);
  return accounts.every(({ id }) => each.every((day) => stored.has(`${id} ${day}`)));
}

function totalsOf(found: Mirrored, group: Group, suffix: string): ReportTotal[] {
  const { asked, days } = found;
  const now = figuresOf(total(within(days, asked.span, group)));
  const before = isCompared(found, group) ? figuresOf(total(within(days, asked.compared, group))) : null;
  return Object.entries(METRICS).flatMap(([key, { nl, en, kind, lowerIsBetter = false }]): ReportTotal[] => {
    if (kind === "money" && !hasOneCurrency(group.accounts)) return [];
    const name = key as keyof Figures;
    const [value, earlierValue] = [printed(now[name], kind), printed(before?.[name] ?? null, kind)];
    if (value === null && earlierValue === null) return [];
    return [{ key, label: labelled({ nl, en }, kind, suffix), kind, value, before: earlierValue, lowerIsBetter }];
  });
}

function campaignsOf({ campaigns }: Mirrored, { accounts }: Group, suffix: string): ReportTable | null {
  const all = campaigns.filter(({ account_id }) => accounts.some(({ id }) => id === account_id));
  const counted = new Map(all.map((row) => [row.account_id, row.campaigns]));
  const own = all
    .map((row) => ({ name: row.name ?? row.item, sums: exactOf(row) }))
    .toSorted(byCost)
    .slice(0, MOST_CAMPAIGNS);
  if (own.length === 0) return null;
  const names = Object.keys(OF_CAMPAIGNS) as (keyof typeof OF_CAMPAIGNS)[];
  const kindOf = (name: (typeof names)[number]) => (METRICS[name] as Metric).kind;
  const columns: ReportColumn[] = [
    { key: "campaign", label: CAMPAIGN, kind: "text" },
    ...names.map((name) => ({
      key: name,
      label: labelled(METRICS[name] as Metric, kindOf(name), suffix),
      kind: kindOf(name),
      adds: OF_CAMPAIGNS[name],
    })),
  ];
  const rows = own.map(({ name: campaign, sums }) => {
    const figures = figuresOf(sums);
    return [campaign, ...names.map((name) => printed(figures[name], kindOf(name)))];
  });
  const total = [...counted.values()].reduce((sum, one) => sum + one, 0);
  return { columns, rows, ...cutRows(rows.length, total) };
}

function clicksByDay(found: Mirrored, all: Group, until: IsoDate): ReportSeries | undefined {
  const { asked, days } = found;
  const clicks = new Map<IsoDate, number>();
  for (const { day, clicks: more } of days) clicks.set(day, (clicks.get(day) ?? 0) + Number(more));
  const { nl, en, kind } = METRICS.clicks as Metric;
  return dailyLine(asked, {
    label: { nl, en },
    valueKind: kind,
    valueOn: (day) => clicks.get(day) ?? 0,
    hasBefore: isCompared(found, all),
    until,
  });
}

/**
 * The last day up to which every account was mirrored.
 * @throws Error `ads.warning.days_not_synced` if earlier days of the span are missing, because the printed figures would be too low
 */
function requireMirrored({ span }: GatheredFor, days: readonly DayRow[], newest: ReadonlyMap<string, IsoDate>): IsoDate {
  const until = [...newest.values()].reduce(earlier, span.end);
  const stored = Map.groupBy(days, ({ account_id }) => account_id);
  const lastStored = (id: string) => earlier(span.end, newest.get(id) as IsoDate);
  const isWhole = [...newest.keys()].every((id) => {
    const own = new Set(stored.get(id)?.map(({ day }) => day));
    return span.start <= lastStored(id) && eachDay(span.start, lastStored(id)).every((day) => own.has(day));
  });
  if (!isWhole) throw new Error(DAYS_NOT_SYNCED);
  return until;
}

function groupsOf(accounts: readonly ReportedAccount[], isSplit: boolean): Group[] {
  const isMixed = !hasOneCurrency(accounts);
  if (!isSplit && !isMixed) return [];
  const keyOf = ({ id, website_id }: ReportedAccount) => (isMixed ? id : (website_id ?? id));
  const groups = [...Map.groupBy(accounts, keyOf).values()];
  return groups.length < 2
    ? []
    : groups.map((some) => {
        const [first] = some as [ReportedAccount];
        return { name: (isMixed ? null : first.website_name) ?? first.descriptive_name, accounts: some };
      });
}

/**
 * Cost and results of a client's accounts, with the figures of their trends (marketing-ads §3.6). Amounts in several currencies do not add
 * up, so each account is then printed separately.
 */
export const gatherPerformance: GatherSection = async (asked): Promise<ReportSectionData | null> => {
  const { accounts, isSplit } = await reportedAccounts(asked);
  if (accounts.length === 0) return null;
  const { span, compared } = asked;
  const place = [request().organisation.id, accounts.map(({ id }) => id)];
  const [days, campaigns, stored] = (await queryAll(
    [DAYS, [...place, span.start, span.end, compared.start, compared.end]],
    [CAMPAIGNS, [...place, span.start, span.end]],
    [STORED_DAYS, place],
  )) as unknown as [DayRow[], CampaignRow[], { account_id: string; newest: IsoDate | null; first: IsoDate | null }[]];
  const mirroredTo = new Map(
    stored.flatMap(({ account_id, newest }) => (newest === null ? [] : [[account_id, newest] as const])),
  );
  // An account that was never mirrored has no figures yet.
  const mirrored = accounts.filter(({ id }) => mirroredTo.has(id));
  if (mirrored.length === 0) return null;
  const until = requireMirrored(asked, days, mirroredTo);
  const found: Mirrored = { asked, days, campaigns };
  const all: Group = { name: "", accounts: mirrored };
  const storedFrom = stored.flatMap(({ first }) => first ?? []).reduce(later);
  const groups = groupsOf(mirrored, isSplit);
  const currency = currencyOf(mirrored);
  const suffixOf = (group: Group) => {
    const own = currencyOf(group.accounts);
    return hasOneCurrency(mirrored) || own === null ? "" : ` (${own})`;
  };
  const totals = totalsOf(found, all, "");
  if (!totals.some(({ value, before }) => value || before)) return null;
  const table = groups.length === 0 ? campaignsOf(found, all, "") : null;
  const series = clicksByDay(found, all, until);
  const parts = groups.map((group) => {
    const own = campaignsOf(found, group, suffixOf(group));
    return { name: group.name, totals: totalsOf(found, group, suffixOf(group)), ...(own && { table: own }) };
  });
  return {
    currency,
    totals,
    ...(table && { table }),
    ...(series && { series }),
    final_until: until < span.end ? until : null,
    stored_from: isCompared(found, all) || storedFrom <= compared.start ? null : storedFrom,
    ...(parts.length > 0 && { parts }),
  };
};
