import { queryOne } from "../../../../core/database/query.ts";
import { isApiError } from "../../../../core/errors/errors.ts";
import { request } from "../../../../core/request/context.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { IS_WORKING, WORKING_CONNECTIONS } from "../../../../mixins/google/connection.ts";
import { GoogleFailure, type GoogleFailureKind, kindOf } from "../../../../mixins/google/failure.ts";
import { developerToken } from "../../../../mixins/google-ads/developer-token.ts";
import { AdsFailure, type AdsFailureCode } from "../../../../mixins/google-ads/failure.ts";
import type { AdsAccess } from "../../../../mixins/google-ads/transport.ts";
import { DISCONNECTED, GRANT_REFUSED, NO_ACCESS, QUOTA_USED_UP, SCOPE_INSUFFICIENT, UNREADABLE } from "../failures.ts";
import { type SourceAccess, SourceFailure } from "../source.ts";

const WORKING = statement(`select 1 from ${WORKING_CONNECTIONS} where ${IS_WORKING} and c.id = $2`);
const NOT_CONFIGURED = "marketing.ads_platform_not_configured";
const KEYS: Readonly<Partial<Record<AdsFailureCode, string>>> = {
  ads_platform_api_version: "marketing.ads_platform_api_version",
  ads_platform_not_configured: DISCONNECTED,
  ads_platform_permission: NO_ACCESS,
  ads_platform_quota: QUOTA_USED_UP,
};
/** Reasons of a refusal that every API of Google has in common. */
const BY_KIND: Readonly<Partial<Record<GoogleFailureKind, string>>> = {
  api_disabled: "marketing.api_not_enabled",
  scope: SCOPE_INSUFFICIENT,
};

/** Maps a failure of Google Ads to a SourceFailure (marketing-ads §2.3), which names the cause of every 403. */
export function adsSourceFailure(failure: AdsFailure): SourceFailure {
  const { cause, status, reason, code } = failure;
  const isRefused = cause instanceof GoogleFailure && cause.kind === "grant";
  const common = status === null ? undefined : BY_KIND[kindOf(status, reason)];
  // A 403 without a readable error is the account's, like a 403 that says so.
  const own = code === "ads_platform_auth" && status === 403 ? NO_ACCESS : KEYS[code];
  return new SourceFailure(isRefused ? GRANT_REFUSED : (common ?? own ?? UNREADABLE), { cause: failure });
}

/** Calls Google Ads as a source. @param open opens the account; throws without a developer token or a connection @throws SourceFailure */
export async function readAds<T>(
  { transactions, connectionId }: SourceAccess,
  open: () => Promise<AdsAccess>,
  ask: (ads: AdsAccess) => Promise<T>,
): Promise<T> {
  if ((await transactions.read(() => developerToken().catch(() => null))) === null) throw new SourceFailure(NOT_CONFIGURED);
  try {
    return await ask(await open());
  } catch (error) {
    if (error instanceof AdsFailure) throw adsSourceFailure(error);
    if (isApiError(error)) {
      // The developer token is set, so either the connection does not work or its grant lacks the scope.
      const works = await transactions.read(() => queryOne(WORKING, [request().organisation.id, connectionId]));
      throw new SourceFailure(works ? SCOPE_INSUFFICIENT : DISCONNECTED, { cause: error });
    }
    throw error;
  }
}
