import { type ApiError, invalid } from "../../../core/declare/errors.ts";
import { EdgeFailure } from "../provider/failure.ts";

/** The wrapper of a validation error; since 2024 the provider may leave it out and answer the error of its chain instead. */
const VALIDATION = 1004;
/** Further codes of record validation: tags beyond the quota, text records of one name that are too long together. */
const OTHERS = new Set([9300, 83011]);
const isOfValidation = (code: number | null): boolean =>
  code !== null && (code === VALIDATION || (code >= 9000 && code <= 9199) || OTHERS.has(code));

/** A value of a record that the provider refused as invalid: the caller's to correct (assets §9.2). */
class RecordRefused extends EdgeFailure {
  override refusal(): ApiError {
    return Object.assign(invalid({ content: "errors.edge_record_invalid" }), { cause: this });
  }
}

/** Whether a failure is about the value that was written, and not about the token or a record that is there already. */
const isAboutValue = (failure: EdgeFailure): boolean =>
  failure.status === 400 &&
  failure.errorCode === "edge_request_failed" &&
  failure.errors.some(({ code }) => isOfValidation(code));

/** The answer to the write of a record. @throws EdgeFailure, which is 422 on `content` for a value that the provider refused */
export const refusingValues = <T>(written: Promise<T>): Promise<T> =>
  written.catch((error: unknown) => {
    if (error instanceof EdgeFailure && isAboutValue(error)) throw new RecordRefused(error.message, error);
    throw error;
  });
