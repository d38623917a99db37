import type { UpdateOf } from "../../../core/database/model.ts";
import { isApiError } from "../../../core/declare/errors.ts";
import { customerFacts } from "../../../mixins/google-ads/customer-facts.ts";
import { AdsFailure } from "../../../mixins/google-ads/failure.ts";
import type { AdsAccount, AdsAccountRow } from "../../../mixins/google-ads/models.ts";
import { adsAccess } from "../../../mixins/google-ads/transport.ts";

type Written = UpdateOf<typeof AdsAccount>;

/** What a failed call leaves on an account. @returns null for an error that is none of the provider or the configuration */
export function failureOn(error: unknown): Pick<AdsAccountRow, "status" | "last_error"> | null {
  if (error instanceof AdsFailure) return { status: "error", last_error: error.message };
  // There is no connection or token to call with: nothing was asked, so there is no status of the provider.
  if (isApiError(error) && error.type?.startsWith("ads_platform_")) return { status: "error", last_error: error.message };
  return null;
}

/** Asks the provider for an account and gives what is to be stored of the answer; a failure is an answer too (marketing-ads §3.2). */
export async function verified(account: AdsAccountRow): Promise<Written> {
  try {
    const facts = await customerFacts(await adsAccess(account), "customer.verify");
    if (!facts) return { status: "error", last_error: "HTTP 200: the provider knows no such account" };
    const { descriptive_name, ...known } = facts;
    return {
      ...known,
      ...(descriptive_name !== "" && { descriptive_name }),
      status: "active",
      last_error: null,
      last_verified_at: new Date().toISOString(),
    };
  } catch (error) {
    const failure = failureOn(error);
    if (!failure) throw error;
    return failure;
  }
}
