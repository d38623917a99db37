import { decimal } from "../../../core/values/money.ts";
import { refusing } from "../../../mixins/google-ads/failure.ts";
import type { AdsAccountRow } from "../../../mixins/google-ads/models.ts";
import { adsAccess, searchAds } from "../../../mixins/google-ads/transport.ts";
import { envelope } from "../envelope.ts";
import { visibleAccount } from "../visible-account.ts";
import type { AdsRow } from "./ads-row.ts";
import { namedCampaigns } from "./named-campaigns.ts";
import type { Ask, ReadDeclaration, ReadFilters, ReadRows } from "./read.ts";
import { type ReportQuery, type ReportRows, reportOf } from "./report.ts";
import { type NamedDays, type Window, windowOf } from "./window.ts";

/** The parameters of a read. */
export interface ReadParameters extends NamedDays, ReportQuery {
  campaigns?: string[] | undefined;
  include_removed?: boolean | undefined;
  min_cost?: number | undefined;
  min_clicks?: number | undefined;
}

/** An account opened for the calls of one request. */
export interface OpenAccount {
  account: AdsAccountRow;
  ask: Ask;
  window: Window;
  /** When the read started. */
  now: string;
}

/** Errors of every call to the provider. */
export const CALLING = [
  "not_found",
  "ads_platform_auth",
  "ads_platform_developer_token",
  "ads_platform_not_configured",
  "ads_platform_permission",
  "ads_platform_token_unreadable",
  "ads_platform_query",
  "ads_platform_request",
  "ads_platform_quota",
  "ads_platform_api_version",
  "ads_platform_error",
  "ads_platform_unreachable",
] as const;

/**
 * Opens an account that the caller sees, without a call.
 * @throws 404, 409 `ads_platform_not_configured`, `ads_platform_token_unreadable`
 */
export async function openAccount(id: string, operation: string, days: NamedDays = {}): Promise<OpenAccount> {
  const account = await visibleAccount(id);
  const access = await adsAccess(account);
  const now = new Date().toISOString();
  return {
    account,
    ask: (query) => searchAds<AdsRow>(access, query, { operation }),
    window: windowOf(days, account.time_zone, now),
    now,
  };
}

function filtersOf(
  { takes }: ReadDeclaration,
  { window }: OpenAccount,
  parameters: ReadParameters,
): Omit<ReadFilters, "campaignIds"> {
  const { include_removed = false, min_cost, min_clicks } = parameters;
  const status = takes.includes("status") ? parameters.status : undefined;
  return {
    from: window.period.date_from,
    to: window.period.date_to,
    withRemoved: include_removed || status?.trim().toUpperCase() === "REMOVED",
    minCostMicros: min_cost === undefined ? null : BigInt(decimal(min_cost).times(1_000_000).ceil().toFixed(0)),
    minClicks: min_clicks ?? null,
    today: window.today,
    utcToday: window.utcToday,
  };
}

const NO_CAMPAIGN: ReadRows = { rows: [], warnings: ["ads.warning.no_campaigns_matched"] };

/** The rows of a read before search and paging. @throws ApiError */
export const findRows = (read: ReadDeclaration, open: OpenAccount, parameters: ReadParameters): Promise<ReadRows> =>
  refusing(async () => {
    const filters = filtersOf(read, open, parameters);
    const campaignIds = await namedCampaigns(open.ask, parameters.campaigns ?? [], filters.withRemoved);
    if (campaignIds?.length === 0) return NO_CAMPAIGN;
    return read.find(open.ask, { ...filters, campaignIds });
  });

/** The response of a read. */
export async function answerOf(read: ReadDeclaration, open: OpenAccount, found: ReadRows, wanted: ReportQuery) {
  const report: ReportRows = reportOf(read, found, wanted);
  const hasPeriod = read.takes.includes("period");
  return {
    ...envelope(open.account, hasPeriod ? open.window.period : null, open.now),
    ...report,
    rows: read.complete ? await read.complete(open.account.id, report.rows) : report.rows,
    warnings: [...(hasPeriod ? open.window.warnings : []), ...report.warnings],
  };
}
