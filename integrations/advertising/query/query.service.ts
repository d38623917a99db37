import { action } from "../../../core/declare/action.ts";
import { prepared } from "../../../core/request/context.ts";
import { input, multiline, nullable, optional, type Static, Type } from "../../../core/schema/schema.ts";
import { refusing } from "../../../mixins/google-ads/failure.ts";
import { adsAccess, searchAds } from "../../../mixins/google-ads/transport.ts";
import { service } from "../../../mixins/resource.ts";
import { envelope } from "../envelope.ts";
import { CALLING } from "../reads/reading.ts";
import { AdsQueryRead } from "../report-schemas.ts";
import { visibleAccount } from "../visible-account.ts";
import { executableQuery } from "./gaql.ts";

/**
 * Runs a caller's query at the provider.
 * @param limit most rows the caller wants; null uses the query's own limit
 * @throws 404, 422 before any call, and the provider's refusals
 */
async function runQuery(accountId: string, query: string, limit: number | null) {
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

const AdsQueryRequest = input("AdsQueryRequest", {
  query: multiline(8000, { minLength: 1, description: "A query in the provider's language (GAQL)" }),
  limit: optional(
    nullable(Type.Integer({ minimum: 1, description: "Most rows; with a `LIMIT` of the query the lower of both counts" })),
  ),
});

/** Queries written by callers (marketing-ads §3.7). */
export default service("ads_platform.query", {
  actions: {
    run: action({
      rest: "POST /ads-platform/accounts/:account_id/query",
      verb: "run",
      summary: "Run a query in the provider's language",
      description:
        "Reads only, and at most 2000 rows. The query is checked before any call: one statement, fields of resources on the list, and at most 400 days with both ends where it selects metrics.",
      permission: "ads_platform.query.run",
      licenceExempt: "a read whose query needs a body (marketing-ads §3.7)",
      body: AdsQueryRequest,
      returns: AdsQueryRead,
      status: 200,
      errors: [
        ...CALLING,
        "ads_platform_query_invalid errors.ads_platform_query_empty",
        "ads_platform_query_invalid errors.ads_platform_query_limit",
        "ads_platform_query_invalid errors.ads_platform_query_multiple_statements",
        "ads_platform_query_invalid errors.ads_platform_query_repeated_clause",
        "ads_platform_query_invalid errors.ads_platform_query_shape",
        "ads_platform_query_invalid errors.ads_platform_query_unterminated_string",
        "ads_platform_query_resource",
        "ads_platform_query_unbounded",
      ],
      timeout: 180_000,
      prepare: (ctx) => runQuery(ctx.params.account_id, ctx.params.body.query, ctx.params.body.limit ?? null),
      handler: async () => prepared<Static<typeof AdsQueryRead>>(),
    }),
  },
});
