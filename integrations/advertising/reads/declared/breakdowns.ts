import { AdsFailure } from "../../../../mixins/google-ads/failure.ts";
import { type AdsRow, idInName, idOf } from "../ads-row.ts";
import { byCost, figuresOf, METRIC_FIELDS, type Sums, sumsOf, total } from "../figures.ts";
import { isOneOf, queryText, within } from "../query-text.ts";
import { type Ask, dearestFirst, figuresRead, type ReadDeclaration, usualConditions, withFigures } from "../read.ts";
import { CAMPAIGN, campaignOf } from "./structure.ts";

export const devices = figuresRead({
  path: "devices",
  summary: "Read the figures of an account by campaign and device",
  description:
    "Live from the provider, the highest cost first. `extra.device_totals` has the figures of each device over all rows that matched.",
  takes: ["campaigns", "period"],
  ceiling: 200,
  searched: ["campaign_name"],
  from: "campaign",
  select: [...CAMPAIGN, "campaign.status", "segments.device"],
  statuses: ["campaign.status"],
  row: (row) => ({
    ...campaignOf(row),
    campaign_status: row.campaign?.status ?? null,
    device: row.segments?.device ?? null,
  }),
  extra: (matched) => {
    const byDevice = Map.groupBy(matched, ({ row }) => row["device"]);
    const totals = [...byDevice].map(([device, rows]) => ({ device, sums: total(rows.map(({ sums }) => sums as Sums)) }));
    return { device_totals: totals.toSorted(byCost).map(({ device, sums }) => ({ device, ...figuresOf(sums) })) };
  },
});

const GEO_CEILING = 1000;
const PLACES = ["segments.geo_target_region", "segments.geo_target_city"] as const;

const GRANULARITY = {
  byCity: { granularity: "country+region+city", location_basis: "user_location" },
  byCountry: { granularity: "country", location_basis: "user_location" },
} as const;

/** A campaign in one location, with the location's ids. */
interface Located {
  row: AdsRow;
  country: string;
  region: string | null;
  city: string | null;
  sums: Sums;
}

function locatedOf(row: AdsRow): Located {
  const { geoTargetRegion = "", geoTargetCity = "" } = row.segments ?? {};
  return {
    row,
    country: idOf(row.userLocationView?.countryCriterionId),
    region: idInName(geoTargetRegion),
    city: idInName(geoTargetCity),
    sums: sumsOf(row.metrics),
  };
}

/** Merges the rows of each campaign and location; the provider returns separate rows for people in targeted locations. */
function merged(rows: readonly AdsRow[]): Located[] {
  const keyOf = ({ row, country, region, city }: Located) => [idOf(row.campaign?.id), country, region, city].join(" ");
  const groups = Map.groupBy(rows.map(locatedOf), keyOf);
  return [...groups.values()].map((group) => ({ ...(group[0] as Located), sums: total(group.map(({ sums }) => sums)) }));
}

/** Looks up location names by id in one query. If the provider refuses, omits the names, because the figures are known already. */
async function placeNames(ask: Ask, places: readonly Located[]): Promise<Map<string, string>> {
  const ids = places.flatMap(({ country, region, city }) => [country, region, city]);
  const known = [...new Set(ids)].filter((id): id is string => id !== null && /^\d+$/.test(id) && id !== "0");
  if (known.length === 0) return new Map();
  const query = queryText({
    from: "geo_target_constant",
    select: ["geo_target_constant.id", "geo_target_constant.name"],
    where: [isOneOf("geo_target_constant.id", known)],
  });
  const rows = await ask(query).catch((error: unknown) => {
    if (error instanceof AdsFailure) return [];
    throw error;
  });
  return new Map(rows.map(({ geoTargetConstant }) => [idOf(geoTargetConstant?.id), geoTargetConstant?.name ?? ""]));
}

export const geo: ReadDeclaration = {
  path: "geo",
  summary: "Read the figures of an account by campaign and place",
  description:
    "Live from the provider, the highest cost first: where people were, not which places are targeted. If the provider refuses regions and cities, the rows are by country, which `extra.granularity` says.",
  takes: ["campaigns", "period"],
  ceiling: GEO_CEILING,
  searched: ["country", "region", "city", "campaign_name"],
  hasTotals: true,
  extra: () => GRANULARITY.byCity,
  async find(ask, filters) {
    const query = (places: readonly string[]) =>
      dearestFirst(
        {
          from: "user_location_view",
          select: [...CAMPAIGN, "user_location_view.country_criterion_id", ...places, ...METRIC_FIELDS],
          where: [within(filters.from, filters.to), ...usualConditions(filters, ["campaign.status"])],
        },
        GEO_CEILING,
      );
    let isByCity = true;
    const rows = await ask(query(PLACES)).catch((error: unknown) => {
      if (!(error instanceof AdsFailure) || error.code !== "ads_platform_query") throw error;
      isByCity = false;
      return ask(query([]));
    });
    const places = merged(rows.slice(0, GEO_CEILING)).toSorted(byCost);
    const names = await placeNames(ask, places);
    const nameOf = (id: string | null) => (id === null ? null : (names.get(id) ?? null));
    return {
      rows: places.map(({ row, country, region, city, sums }) =>
        withFigures(
          row,
          {
            ...campaignOf(row),
            country: nameOf(country),
            region: nameOf(region),
            city: nameOf(city),
            country_criterion_id: country,
          },
          sums,
        ),
      ),
      isTruncated: rows.length > GEO_CEILING,
      warnings: isByCity ? [] : ["ads.warning.geo_country_only"],
      extra: isByCity ? GRANULARITY.byCity : GRANULARITY.byCountry,
    };
  },
};
