import { isApiError } from "../../../../core/errors/errors.ts";
import { developerToken } from "../../../../mixins/google-ads/developer-token.ts";
import { AdsFailure, type AdsFailureCode } from "../../../../mixins/google-ads/failure.ts";
import type { AdsAccess } from "../../../../mixins/google-ads/transport.ts";
import { DISCONNECTED, QUOTA_USED_UP, SCOPE_INSUFFICIENT, UNREADABLE } from "../failures.ts";
import { type SourceAccess, SourceFailure } from "../source.ts";

const NOT_CONFIGURED = "marketing.ads_platform_not_configured";
const KEYS: Readonly<Partial<Record<AdsFailureCode, string>>> = {
  ads_platform_api_version: "marketing.ads_platform_api_version",
  ads_platform_not_configured: DISCONNECTED,
  ads_platform_quota: QUOTA_USED_UP,
};
const REASONS: Readonly<Record<string, string>> = {
  ACCESS_TOKEN_SCOPE_INSUFFICIENT: SCOPE_INSUFFICIENT,
  SERVICE_DISABLED: "marketing.api_not_enabled",
};

/** Maps a failure of Google Ads to a SourceFailure (marketing-ads §2.3), which names the cause of every 403. */
export const adsSourceFailure = (failure: AdsFailure): SourceFailure =>
  new SourceFailure(REASONS[failure.reason ?? ""] ?? KEYS[failure.code] ?? UNREADABLE, { cause: failure });

/** Calls Google Ads as a source. @param open opens the account; throws without a developer token or a connection @throws SourceFailure */
export async function readAds<T>(
  { transactions }: SourceAccess,
  open: () => Promise<AdsAccess>,
  ask: (ads: AdsAccess) => Promise<T>,
): Promise<T> {
  if ((await transactions.read(() => developerToken().catch(() => null))) === null) throw new SourceFailure(NOT_CONFIGURED);
  try {
    return await ask(await open());
  } catch (error) {
    if (error instanceof AdsFailure) throw adsSourceFailure(error);
    if (isApiError(error)) throw new SourceFailure(DISCONNECTED, { cause: error });
    throw error;
  }
}
