import { type ApiError, invalid } from "../../../core/declare/errors.ts";
import { EdgeFailure } from "../provider/failure.ts";

/** The wrapper of a validation error; since 2024 the provider may omit it and return the error of its chain instead. */
const VALIDATION = 1004;
/** Further codes of record validation: too many tags, or text records of one name that are too long together. */
const OTHERS = new Set([9300, 83011]);
const isOfValidation = (code: number | null): boolean =>
  code !== null && (code === VALIDATION || (code >= 9000 && code <= 9199) || OTHERS.has(code));

/** The provider refused a record's value as invalid; the caller must correct it (assets §9.2). */
class RecordRefused extends EdgeFailure {
  override refusal(): ApiError {
    return Object.assign(invalid({ content: "errors.edge_record_invalid" }), { cause: this });
  }
}

/** Whether a failure concerns the written value, not the token or an existing record. */
const isAboutValue = (failure: EdgeFailure): boolean =>
  failure.status === 400 &&
  failure.errorCode === "edge_request_failed" &&
  failure.errors.some(({ code }) => isOfValidation(code));

/** Maps failures of a record write. @throws EdgeFailure, as 422 on `content` for a value that the provider refused */
export const refusingValues = <T>(written: Promise<T>): Promise<T> =>
  written.catch((error: unknown) => {
    if (error instanceof EdgeFailure && isAboutValue(error)) throw new RecordRefused(error.message, error);
    throw error;
  });
