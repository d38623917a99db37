import { Errors } from "moleculer";
import catalogue from "./catalogue/errors.json" with { type: "json" };

/** What a refusal may say beside its code: one translation key per field, machine facts, and response headers. */
export interface RefusalParts {
  fields?: Record<string, string>;
  details?: Record<string, string | number | boolean>;
  headers?: Record<string, string>;
}

// Of several entries with one key the first counts.
const backwards = catalogue.errors.toReversed();
const entries = new Map(backwards.map((entry) => [`${entry.code} ${entry.message}`, entry]));
const byCode = new Map(backwards.map((entry) => [entry.code, entry]));
for (const entry of catalogue.errors.toReversed()) if (entry.message === `errors.${entry.code}`) byCode.set(entry.code, entry);

/**
 * The one class of errors that may reach a caller. It carries a code of `core/declare/catalogue/errors.json`; the gateway alone turns it
 * into HTTP. It extends Moleculer's error so that status, code and fields survive the way between nodes.
 */
export class ApiError extends Errors.MoleculerError {
  constructor(status: number, code: string, message: string, parts: RefusalParts = {}) {
    super(message, status, code, parts);
    this.name = "ApiError";
  }
}

/** True for an `ApiError`, also for one that was rebuilt from another node's answer. */
export function isApiError(error: unknown): error is ApiError {
  return error instanceof Error && error.name === "ApiError";
}

/**
 * Makes the error of a catalogue entry.
 * @param code the entry's code, for instance `conflict`
 * @param message the entry's translation key; without it `errors.<code>`, else the code's first entry
 * @throws TypeError when the catalogue has no such entry: a refusal nobody can look up is a programming error
 */
export function refusal(code: string, message?: string, parts: RefusalParts = {}): ApiError {
  const entry = message === undefined ? byCode.get(code) : entries.get(`${code} ${message}`);
  if (!entry) throw new TypeError(`no error '${code}' with message '${message}' in the catalogue`);
  return new ApiError(entry.status, entry.code, entry.message, parts);
}

/** 401 with the one body every failed credential gets (conventions §3.1). */
export const unauthorized = () => refusal("unauthorized", "errors.unauthorized");
/** 403; `message` only where a chapter names a more specific key. */
export const forbidden = (message = "errors.forbidden") => refusal("forbidden", message);
/** 404 for a row that does not exist, belongs elsewhere or is outside the selection: indistinguishable on purpose. */
export const notFound = () => refusal("not_found", "errors.not_found");
/** 422 with one translation key per offending field. */
export const invalid = (fields: Record<string, string>) => refusal("validation", "errors.validation", { fields });
/** 409; `field` repeats the message beside the field it is about. */
export const conflict = (message = "errors.conflict", field?: string) =>
  refusal("conflict", message, field === undefined ? {} : { fields: { [field]: message } });

/** Every entry of the catalogue, for the OpenAPI document and its tests. */
export const errorCatalogue: readonly { code: string; status: number; message: string }[] = catalogue.errors;
