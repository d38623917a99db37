import { AdsFailure } from "../../../../mixins/google-ads/failure.ts";
import { type Mutated, mutateAds } from "../../../../mixins/google-ads/mutate.ts";
import type { AdsAccess } from "../../../../mixins/google-ads/transport.ts";
import { storeOutsideResult } from "../../../../mixins/tenancy.ts";
import type { OperationResult } from "./intent-model.ts";
import { beginIntent, closeRefused, forgetIntent, markUnknown, type Sending, unknownOutcome } from "./intents.ts";

/** The outcome of one call. */
export interface CallOutcome {
  /** Null for a validation. */
  intentId: string | null;
  results: OperationResult[];
  /** Whether the provider returned an error without naming its operation. */
  hasUnattributed: boolean;
}

const hasUnattributed = ({ refused }: Mutated): boolean => refused.some(({ index }) => index === null);

function resultsOf({ planned }: Sending, mutated: Mutated, isValidation: boolean): OperationResult[] {
  const { resourceNames, refused } = mutated;
  // An error without an operation can concern any of them.
  const isValid = isValidation && !hasUnattributed(mutated);
  return planned.map(({ index }, at) => {
    const error = refused.find((one) => one.index === at);
    const name = resourceNames[at] ?? null;
    const ok = isValidation ? isValid && !error : name !== null;
    return {
      index,
      ok,
      resource_name: name,
      error_code: ok ? null : (error?.errorCode ?? null),
      message: ok ? null : (error?.message ?? null),
    };
  });
}

const sentAs = (sending: Sending, mutated: Mutated, intentId: string | null): CallOutcome => ({
  intentId,
  results: resultsOf(sending, mutated, intentId === null),
  hasUnattributed: hasUnattributed(mutated),
});

const mutation = ({ planned }: Sending, partialFailure: boolean) => ({
  operations: planned.map(({ operation }) => operation),
  partialFailure,
});

/** Validates operations at the provider without changing anything; null if there are none. @throws AdsFailure */
export async function validate(access: AdsAccess, sending: Sending, partial: boolean): Promise<CallOutcome | null> {
  if (sending.planned.length === 0) return null;
  return sentAs(
    sending,
    await mutateAds(access, sending.collection, { ...mutation(sending, partial), validateOnly: true }),
    null,
  );
}

/**
 * Sends operations once, after committing the intent. If the provider answers, the caller's transaction closes the intent.
 * @param judged gives the operations in the transaction of the intent
 * @returns null if no operation is left to send
 * @throws 502 with the `intent_id` if no answer reveals the outcome; nothing sends it again
 * @throws AdsFailure if the provider refused everything; the intent is closed
 */
export async function sendOnce(
  access: AdsAccess,
  accountId: string,
  judged: () => Promise<Sending>,
  partial: boolean,
): Promise<CallOutcome | null> {
  const begun = await beginIntent(accountId, judged);
  if (!begun) return null;
  const { intentId, sending } = begun;
  try {
    return sentAs(sending, await mutateAds(access, sending.collection, mutation(sending, partial)), intentId);
  } catch (error) {
    if (!(error instanceof AdsFailure)) {
      // Nothing was sent, for example because the caller's access changed first.
      await forgetIntent(intentId);
      throw error;
    }
    if (!error.isOutcomeUnknown) {
      await closeRefused(intentId, error.providerErrorCode ?? error.code);
      throw error;
    }
    // If this write fails, the intent stays pending and the job settles it anyway.
    await storeOutsideResult(async () => markUnknown(intentId, error.providerErrorCode)).catch(() => {});
    throw unknownOutcome(intentId, error.details);
  }
}
