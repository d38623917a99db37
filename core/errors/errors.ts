import { Errors } from "moleculer";

/** The optional parts of an error: one translation key per field, machine-readable facts, and response headers. */
export interface RefusalParts {
  fields?: Record<string, string>;
  details?: Record<string, string | number | boolean>;
  headers?: Record<string, string>;
  /** The error's name in the format of RFC 6749 §5.2, for endpoints that use it (`oauth` of an action). */
  oauth?: string;
  /** For a call that found the database unreachable: true when nothing it did is kept, so that it can be repeated unchanged. */
  undone?: boolean;
}

export interface ErrorEntry {
  code: string;
  status: number;
  message: string;
  /** Key of the manifest that declares it. */
  module: string;
  /** False while its module is only planned: it is in the catalogue, but no error can be created from it. */
  built: boolean;
}

/** The full name of an error: status, code and message. */
export const nameOfError = ({ status, code, message }: Pick<ErrorEntry, "status" | "code" | "message">): string =>
  `${status} ${code} ${message}`;

interface Index {
  byStatus: ReadonlyMap<string, ErrorEntry>;
  byKey: ReadonlyMap<string, ErrorEntry>;
  byCode: ReadonlyMap<string, ErrorEntry>;
}

let declared: (() => readonly ErrorEntry[]) | undefined;
let known: Index | undefined;

/**
 * Sets the errors that can be created, read at the first one. The catalogue of declarations calls it.
 * @param source the errors of built modules; of two with the same code and message the first counts
 */
export function declareErrors(source: () => readonly ErrorEntry[]): void {
  declared = source;
  known = undefined;
}

/** A bare code finds the entry with its own message, else its first. */
function index(): Index {
  if (known) return known;
  if (!declared) throw new TypeError("an error needs the catalogue: import core/declare/catalogue/catalogue.ts");
  const backwards = declared().toReversed();
  const byCode = new Map(backwards.map((entry) => [entry.code, entry]));
  for (const entry of backwards) if (entry.message === `errors.${entry.code}`) byCode.set(entry.code, entry);
  const byStatus = new Map(backwards.map((entry) => [nameOfError(entry), entry]));
  known = { byStatus, byKey: new Map(backwards.map((entry) => [`${entry.code} ${entry.message}`, entry])), byCode };
  return known;
}

const NAMES_STATUS = /^\d{3} /;

/**
 * Finds the entry of a code, or of code and message as in `validation errors.upload_too_large`, preceded by the status if one message has
 * two (`400 validation errors.validation`). Undefined when no built module declares it.
 */
export function findError(declared: string): ErrorEntry | undefined {
  if (NAMES_STATUS.test(declared)) return index().byStatus.get(declared);
  return declared.includes(" ") ? index().byKey.get(declared) : index().byCode.get(declared);
}

/**
 * The only class of errors that may reach a caller. It carries a code that a module declares; only the gateway turns it into HTTP. It
 * extends Moleculer's error so that status, code and fields survive the transfer between nodes.
 */
export class ApiError extends Errors.MoleculerError {
  constructor(status: number, code: string, message: string, parts: RefusalParts = {}) {
    super(message, status, code, parts);
    this.name = "ApiError";
  }
}

/** True for an `ApiError`, including one rebuilt from another node's response. */
export function isApiError(error: unknown): error is ApiError {
  return error instanceof Error && error.name === "ApiError";
}

/** Seconds after which a call refused with 503 may be repeated, unless its refusal names others. */
const RETRY_AFTER = "5";

/**
 * Creates the error of a catalogue entry. A 503 always has `Retry-After`.
 * @param code the entry's code, for instance `conflict`
 * @param message the entry's translation key; if omitted `errors.<code>`, otherwise the code's first entry
 * @throws TypeError when no module declares it: an error missing from the catalogue is a programming error
 */
export function refusal(code: string, message?: string, parts: RefusalParts = {}): ApiError {
  const entry = findError(message === undefined ? code : `${code} ${message}`);
  if (!entry) throw new TypeError(`no error '${code}' with message '${message}' in the catalogue of modules that are built`);
  const headers = entry.status === 503 ? { "Retry-After": RETRY_AFTER, ...parts.headers } : parts.headers;
  return new ApiError(entry.status, entry.code, entry.message, headers === undefined ? parts : { ...parts, headers });
}

/** 401 with the same body for every failed credential (conventions §3.1). */
export const unauthorized = () => refusal("unauthorized", "errors.unauthorized");
/** 403; pass `message` only if a chapter names a more specific key. */
export const forbidden = (message = "errors.forbidden") => refusal("forbidden", message);
/** 404 for a row that does not exist, belongs to another organisation or is outside the selection: indistinguishable on purpose. */
export const notFound = () => refusal("not_found", "errors.not_found");
/** 422 with one translation key per invalid field. */
export const invalid = (fields: Record<string, string>, details?: RefusalParts["details"]) =>
  refusal("validation", "errors.validation", { fields, ...(details && { details }) });
/** 409; `field` repeats the message at the field it concerns. */
export const conflict = (message = "errors.conflict", field?: string) =>
  refusal("conflict", message, field === undefined ? {} : { fields: { [field]: message } });

/** 429; `wait` is the number of whole seconds until the caller may retry. */
export const rateLimited = (wait: number) =>
  refusal("rate_limited", "errors.rate_limited", { headers: { "Retry-After": String(wait) } });
/** The header that tells when to repeat a call. @param until milliseconds since 1970 */
export const retryAt = (until: number): Record<string, string> => ({
  "Retry-After": String(Math.max(1, Math.ceil((until - Date.now()) / 1000))),
});
/** A refusal of this code until a time. @param until milliseconds since 1970 from which the caller may retry */
export const tooSoon = (code: string, until: number) => refusal(code, undefined, { headers: retryAt(until) });
