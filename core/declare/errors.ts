import { Errors } from "moleculer";
import { catalogue } from "./catalogue/catalogue.ts";
import kernel from "./catalogue/kernel.ts";
import type { ErrorEntry } from "./catalogue/merge.ts";

/** What a refusal may say beside its code: one translation key per field, machine facts, and response headers. */
export interface RefusalParts {
  fields?: Record<string, string>;
  details?: Record<string, string | number | boolean>;
  headers?: Record<string, string>;
  /** The error's name in the shape of RFC 6749 §5.2, for endpoints that answer in it (`oauth` of an action). */
  oauth?: string;
  /** Of a call that met a database that was away: true when nothing it did is kept, so that it can be made again as it was. */
  undone?: boolean;
}

/** Every entry of the catalogue, by status, code and message. */
export const errorCatalogue = (): readonly ErrorEntry[] => catalogue().errors;

interface Index {
  byStatus: ReadonlyMap<string, ErrorEntry>;
  byKey: ReadonlyMap<string, ErrorEntry>;
  byCode: ReadonlyMap<string, ErrorEntry>;
}

let known: Index | undefined;

function index(): Index {
  if (known) return known;
  // Of several entries with one key the kernel's counts, else the first; a bare code is the entry whose message is its own, else its first.
  const declared = errorCatalogue().filter(({ built }) => built);
  const own = (entry: ErrorEntry) => entry.module === kernel.key;
  const backwards = [...declared.filter(own), ...declared.filter((entry) => !own(entry))].toReversed();
  const byCode = new Map(backwards.map((entry) => [entry.code, entry]));
  for (const entry of backwards) if (entry.message === `errors.${entry.code}`) byCode.set(entry.code, entry);
  const byStatus = new Map(backwards.map((entry) => [`${entry.status} ${entry.code} ${entry.message}`, entry]));
  known = { byStatus, byKey: new Map(backwards.map((entry) => [`${entry.code} ${entry.message}`, entry])), byCode };
  return known;
}

const NAMES_STATUS = /^\d{3} /;

/**
 * The entry that a declaration names: a code, or code and message, as in `validation errors.upload_too_large`, with the status before
 * them where one message has two (`400 validation errors.validation`). Undefined when no module that is built declares it.
 */
export function findError(declared: string): ErrorEntry | undefined {
  if (NAMES_STATUS.test(declared)) return index().byStatus.get(declared);
  return declared.includes(" ") ? index().byKey.get(declared) : index().byCode.get(declared);
}

/**
 * The one class of errors that may reach a caller. It carries a code that a module declares; the gateway alone turns it into
 * HTTP. It extends Moleculer's error so that status, code and fields survive the way between nodes.
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
 * @throws TypeError when no module declares it: a refusal that cannot be looked up is a programming error
 */
export function refusal(code: string, message?: string, parts: RefusalParts = {}): ApiError {
  const entry = findError(message === undefined ? code : `${code} ${message}`);
  if (!entry) throw new TypeError(`no error '${code}' with message '${message}' in the catalogue of modules that are built`);
  return new ApiError(entry.status, entry.code, entry.message, parts);
}

/** 401 with the one body every failed credential gets (conventions §3.1). */
export const unauthorized = () => refusal("unauthorized", "errors.unauthorized");
/** 403; `message` only where a chapter names a more specific key. */
export const forbidden = (message = "errors.forbidden") => refusal("forbidden", message);
/** 404 for a row that does not exist, belongs elsewhere or is outside the selection: indistinguishable on purpose. */
export const notFound = () => refusal("not_found", "errors.not_found");
/** 422 with one translation key per offending field. */
export const invalid = (fields: Record<string, string>, details?: RefusalParts["details"]) =>
  refusal("validation", "errors.validation", { fields, ...(details && { details }) });
/** 409; `field` repeats the message beside the field it is about. */
export const conflict = (message = "errors.conflict", field?: string) =>
  refusal("conflict", message, field === undefined ? {} : { fields: { [field]: message } });

/** 429; `wait` is the whole seconds after which it may go again. */
export const rateLimited = (wait: number) =>
  refusal("rate_limited", "errors.rate_limited", { headers: { "Retry-After": String(wait) } });
