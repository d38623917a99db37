import type { UpdateOf } from "../../../core/database/model.ts";
import { isApiError } from "../../../core/errors/errors.ts";
import { customerFacts } from "../../../mixins/google-ads/customer-facts.ts";
import { AdsFailure } from "../../../mixins/google-ads/failure.ts";
import type { AdsAccount, AdsAccountRow } from "../../../mixins/google-ads/models.ts";
import { adsAccess } from "../../../mixins/google-ads/transport.ts";

type Written = UpdateOf<typeof AdsAccount>;

/** The status of an account after a failed call. @returns null if neither the provider nor the configuration caused the error */
export function failureOn(error: unknown): Pick<AdsAccountRow, "status" | "last_error"> | null {
  if (error instanceof AdsFailure) return { status: "error", last_error: error.message };
  // Without a connection or token nothing was called, so the provider reported no status.
  if (isApiError(error) && error.type?.startsWith("ads_platform_")) return { status: "error", last_error: error.message };
  return null;
}

/** Reads an account from the provider and returns the values to store, including those of a failure (marketing-ads §3.2). */
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
