import { eachDay } from "../../../core/calendar/dates.ts";
import type { DaySpan } from "../../../core/calendar/named-spans.ts";
import { enqueue } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { AdsFailure } from "../../../mixins/google-ads/failure.ts";
import { type AdsAccess, searchAdsByPage } from "../../../mixins/google-ads/transport.ts";
import { METRIC_FIELDS, type ProviderMetrics, sumsOf } from "../reads/figures.ts";

/** Exact figures of one day. */
export interface MirroredDay {
  dimension: "account" | "campaign" | "device";
  day: string;
  /** Empty for the account, else the campaign's id or the device's name. */
  item: string;
  item_name: string | null;
  impressions: string;
  clicks: string;
  cost_micros: string;
  conversions: string;
  conversions_value: string;
  all_conversions: string;
}

interface Row {
  segments?: { date?: string; device?: string };
  campaign?: { id?: string; name?: string };
  metrics?: ProviderMetrics;
}

/** The query of each dimension, and how to read the item from a row. */
const DIMENSIONS = {
  account: { from: "customer", fields: [], item: () => "", name: () => null },
  campaign: {
    from: "campaign",
    fields: ["campaign.id", "campaign.name"],
    item: ({ campaign }: Row) => campaign?.id ?? "",
    name: ({ campaign }: Row) => campaign?.name ?? null,
  },
  device: {
    from: "customer",
    fields: ["segments.device"],
    item: ({ segments }: Row) => segments?.device ?? "",
    name: () => null,
  },
} as const;
const NAMES = ["account", "campaign", "device"] as const;

const queryOf = (name: MirroredDay["dimension"], { from, to }: DaySpan): string => {
  const { from: resource, fields } = DIMENSIONS[name];
  const select = ["segments.date", ...fields, ...METRIC_FIELDS].join(", ");
  return `SELECT ${select} FROM ${resource} WHERE segments.date BETWEEN '${from}' AND '${to}'`;
};

function dayOf(name: MirroredDay["dimension"], row: Row): MirroredDay {
  const day = row.segments?.date;
  if (typeof day !== "string" || !/^\d{4}-\d\d-\d\d$/.test(day)) throw AdsFailure.unreadable(200, "a row has no day");
  const sums = sumsOf(row.metrics);
  const { item, name: named } = DIMENSIONS[name];
  return {
    ...{ dimension: name, day, item: item(row), item_name: named(row) },
    impressions: String(sums.impressions),
    clicks: String(sums.clicks),
    cost_micros: String(sums.costMicros),
    conversions: sums.conversions.toFixed(),
    conversions_value: sums.conversionsValue.toFixed(),
    all_conversions: sums.allConversions.toFixed(),
  };
}

const EMPTY = { impressions: "0", clicks: "0", cost_micros: "0", conversions: "0", conversions_value: "0", all_conversions: "0" };

/**
 * The figures of a span by account, campaign and device. The account gets a row for every day, even without figures, which marks the day as
 * read.
 * @throws AdsFailure
 */
export async function readDays(access: AdsAccess, span: DaySpan): Promise<MirroredDay[]> {
  const days: MirroredDay[] = [];
  for (const name of NAMES)
    await searchAdsByPage<Row>(access, queryOf(name, span), { operation: `mirror.${name}` }, (rows) => {
      for (const row of rows) days.push(dayOf(name, row));
    });
  const measured = new Set(days.filter(({ dimension }) => dimension === "account").map(({ day }) => day));
  for (const day of eachDay(span.from, span.to))
    if (!measured.has(day)) days.push({ dimension: "account", day, item: "", item_name: null, ...EMPTY });
  return days;
}

const FORGET = statement(
  "delete from ads_days where organisation_id = $1 and account_id = $2 and day between $3::date and $4::date",
);
const STORE =
  statement(`insert into ads_days (organisation_id, account_id, dimension, day, item, item_name, impressions, clicks, cost_micros,
    conversions, conversions_value, all_conversions)
  select $1, $2, r.dimension, r.day, r.item, r.item_name, r.impressions, r.clicks, r.cost_micros, r.conversions, r.conversions_value,
    r.all_conversions
  from jsonb_to_recordset($3::jsonb) r (dimension text, day date, item text, item_name text, impressions bigint, clicks bigint,
    cost_micros bigint, conversions numeric, conversions_value numeric, all_conversions numeric)`);

/** Replaces the stored figures of a span in the running transaction, so figures that the provider withdrew disappear. */
export function storeDays(accountId: string, { from, to }: DaySpan, days: readonly MirroredDay[]): void {
  const place = [request().organisation.id, accountId];
  enqueue(FORGET, [...place, from, to]);
  enqueue(STORE, [...place, JSON.stringify(days)]);
}
