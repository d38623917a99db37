import { type AdsError, failureAmong, listOf, objectIn, textOf } from "./answers.ts";
import { type AdsAccess, type AdsAnswer, sendRead, sendWrite } from "./calling.ts";
import { AdsFailure, concernsWholeRequest, scrubbed } from "./failure.ts";

/** Operations for one collection, such as `campaigns`. */
export interface Mutation {
  operations: readonly object[];
  /** The provider validates only and changes nothing. */
  validateOnly?: boolean;
  /** The provider carries out valid operations even if others fail. */
  partialFailure?: boolean;
}

/** The provider's result. */
export interface Mutated {
  /** One for each operation, in order; null for a failed one. Empty for a validation. */
  resourceNames: (string | null)[];
  /** The rejected operations of a partial failure. */
  refused: RefusedOperation[];
  requestId: string | null;
}

export interface RefusedOperation {
  /** Index of the operation; null if the provider does not name it. */
  index: number | null;
  /** `group.VALUE`; null if the provider names none. */
  errorCode: string | null;
  /** The provider's text, scrubbed. */
  message: string;
}

/** The single error that all operations failed with, if it concerns the whole request (marketing-ads §3.4). */
function errorOfAll(errors: readonly AdsError[], names: readonly (string | null)[], count: number): AdsError | null {
  const [first] = errors;
  if (!first || !concernsWholeRequest(first)) return null;
  if (errors.some(({ group, value }) => group !== first.group || value !== first.value)) return null;
  if (names.some((name) => name !== null)) return null;
  const indexed = new Set(errors.map(({ operation }) => operation));
  return indexed.size === count || indexed.has(null) ? first : null;
}

function read({ body, status, headers, secrets }: AdsAnswer, { operations, validateOnly = false }: Mutation): Mutated {
  const { results, partialFailureError } = body;
  const isReadable = results === undefined || Array.isArray(results);
  const names = listOf(results).map((one) => textOf(objectIn(one)["resourceName"]) || null);
  const failed = failureAmong(objectIn(partialFailureError)["details"]);
  const errors = failed?.errors ?? [];
  const requestId = failed?.requestId ?? headers["request-id"] ?? null;
  const whole = errorOfAll(errors, names, operations.length);
  if (whole) throw AdsFailure.forWholeRequest(whole, requestId, secrets);
  if (!isReadable || (!validateOnly && names.length !== operations.length && errors.length === 0))
    throw AdsFailure.unreadable(status, "the answer does not report the outcome of each operation", headers);
  const named = validateOnly ? [] : operations.map((_, index) => names[index] ?? null);
  const refused: RefusedOperation[] = errors.map(({ operation, group, value, message }) => ({
    index: operation !== null && operation < operations.length ? operation : null,
    errorCode: `${group}.${value}`,
    message: scrubbed(message, secrets),
  }));
  // A partial failure without a named error cannot be attributed to an operation.
  if (partialFailureError !== undefined && refused.length === 0) {
    const said = textOf(objectIn(partialFailureError)["message"]) ?? "";
    return { resourceNames: named, refused: [{ index: null, errorCode: null, message: scrubbed(said, secrets) }], requestId };
  }
  return { resourceNames: named, refused, requestId };
}

/**
 * Sends operations to the provider. Only the write gate calls it, which handles policy, intents and records. A write is sent exactly once;
 * a validation is retried like a read.
 * @param collection such as `campaigns` or `adGroupCriteria`
 * @throws AdsFailure; with `isOutcomeUnknown` the operations may have been carried out
 */
export async function mutateAds(
  access: AdsAccess,
  collection: string,
  mutation: Mutation,
  names: { operation?: string; signal?: AbortSignal } = {},
): Promise<Mutated> {
  const { operations, validateOnly = false, partialFailure = false } = mutation;
  const call = {
    operation: `${collection}.mutate`,
    ...names,
    method: "POST" as const,
    path: `/customers/${access.customerId}/${collection}:mutate`,
    json: { operations, ...(validateOnly && { validateOnly }), ...(partialFailure && { partialFailure }) },
  };
  return validateOnly
    ? sendRead(access, call, (answer) => read(answer, mutation))
    : read(await sendWrite(access, call), mutation);
}
