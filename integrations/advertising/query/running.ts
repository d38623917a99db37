import { refusing } from "../../../mixins/google-ads/failure.ts";
import { adsAccess, searchAds } from "../../../mixins/google-ads/transport.ts";
import { envelope } from "../envelope.ts";
import { visibleAccount } from "../visible-account.ts";
import { executableQuery } from "./gaql.ts";

/**
 * Runs a caller's query at the provider.
 * @param limit most rows the caller wants; null uses the query's own limit
 * @throws 404, 422 before any call, and the provider's refusals
 */
export async function runQuery(accountId: string, query: string, limit: number | null) {
  const account = await visibleAccount(accountId);
  const { text, resource, isClamped } = executableQuery(query, limit);
  const access = await adsAccess(account);
  const now = new Date().toISOString();
  const rows = await refusing(() => searchAds(access, text, { operation: "query.run" }));
  return {
    ...envelope(account, null, now),
    row_count: rows.length,
    total_rows: rows.length,
    offset: 0,
    warnings: isClamped ? ["ads.warning.limit_clamped"] : [],
    totals: null,
    rows,
    extra: {},
    executed_query: text,
    resource,
  };
}
