import type { Action } from "../../../core/declare/action.ts";
import { isWalked } from "../../../core/declare/cursor-query.ts";
import { knowsItsQuery } from "../../../core/declare/query-names.ts";
import { type ErrorEntry, findError } from "../../../core/errors/errors.ts";
import { uploadField } from "../../../core/files/upload.ts";
import { licenceGate } from "../../../mixins/licence.ts";
import { errorAddress } from "../errors/error-addresses.ts";
import { usualWhen } from "../errors/error-texts.ts";
import { OF_INPUT } from "../http/answers.ts";
import type { Declaration } from "./declaration.ts";
import { type Components, ERROR_BODY } from "./openapi-components.ts";

const keyOf = ({ code, message }: ErrorEntry) => `${code} ${message}`;

function lookUp(declared: string, actionName: string): ErrorEntry {
  const entry = findError(declared);
  if (!entry) throw new TypeError(`'${actionName}' declares the error '${declared}', which is not in the catalogue`);
  return entry;
}

/** Component names of the error answers, per status. */
const NAMES: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  402: "LicenceRequired",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  409: "Conflict",
  410: "Gone",
  412: "PreconditionFailed",
  413: "ContentTooLarge",
  415: "UnsupportedMediaType",
  422: "Invalid",
  429: "RateLimited",
  502: "ProviderFailed",
  503: "Unavailable",
};

const FIELDS: Record<string, Record<string, string>> = {
  "validation errors.validation": { name: "errors.required" },
  "invalid_sort errors.invalid_sort": { sort: "errors.invalid_sort" },
};

/** Codes that any operation of this kind may return (conventions §3.3, §8, §11). */
function usual(declaration: Declaration, headers: readonly string[]): string[] {
  const { open, needs, localSignIn, untenanted, instance, returns, body, query = {}, urlPath } = declaration;
  if (instance !== undefined)
    return [
      ...(instance === "nothing" ? [] : ["unauthorized", "forbidden"]),
      ...(body === undefined ? [] : ["validation errors.upload_too_large", "unsupported_media_type"]),
      ...(body !== undefined || urlPath.includes(":") || Object.keys(query).length > 0 ? ["validation"] : []),
      "rate_limited",
      "unavailable",
    ];
  // Its answers have no body, so only `otherStatuses` lists its refusals.
  if (untenanted && !returns) return [];
  const anonymous = open !== undefined && needs === "nothing";
  const row = urlPath.includes(":");
  const keyed = headers.includes("Idempotency-Key");
  const when = (applies: boolean, ...codes: string[]) => (applies ? codes : []);
  return [
    ...when("sort" in query, "invalid_sort"),
    ...when(isWalked(declaration) || "updated_since" in query, "gone errors.sync_too_old"),
    ...when(!anonymous, "unauthorized", "forbidden", "org_suspended"),
    ...when(localSignIn === true, "local_login_disabled"),
    ...when(licenceGate(declaration as unknown as Action) !== null, "license_expired", "plan_inactive"),
    ...when(row, "not_found", "unknown_host"),
    ...when(keyed, "idempotency_conflict", "idempotency_in_progress"),
    ...when(headers.includes("If-Match"), "precondition_failed"),
    ...when(body !== undefined, "validation errors.upload_too_large", "unsupported_media_type"),
    ...when(uploadField(body) !== null, "validation errors.upload_type"),
    ...when(body !== undefined || row || keyed || Object.keys(query).length > 0 || knowsItsQuery(declaration), "validation"),
    ...when(untenanted !== true, "rate_limited"),
    "unavailable",
  ];
}

const byStatus = (entries: readonly ErrorEntry[]) => Map.groupBy(entries, ({ status }) => status);
const label = (entry: ErrorEntry) =>
  findError(entry.code) === entry ? entry.code : `${entry.code}-${entry.message.split(".").at(-1)}`;

/** Links an answer's errors to their pages; a code with several messages links to the message's page. */
const links = (entries: readonly ErrorEntry[]): string =>
  entries
    .map((entry) => (findError(entry.code) === entry ? entry.code : entry.message))
    .map((name) => `[${name}](${errorAddress(name)})`)
    .join(", ");

const OAUTH_ERROR = {
  $id: "OAuthError",
  type: "object",
  description: "An error of an OAuth endpoint (RFC 6749 §5.2). The description is a translation key.",
  required: ["error", "error_description"],
  properties: {
    error: { type: "string", description: "What went wrong, for programs" },
    error_description: { type: "string", description: "Translation key of the message" },
  },
};
/** Codes that are themselves names of RFC 6749 or RFC 8707. */
const OAUTH_NAME = /^(invalid_(client|grant|request|target)|unsupported_grant_type)$/;

/** The OAuth name of a refusal, or null if it uses the standard envelope; matches `refusalBody`. */
function oauthName({ code, status, message }: ErrorEntry, oauth: Action["oauth"]): string | null {
  if (!oauth || OAUTH_NAME.test(code)) return oauth ? code : null;
  return OF_INPUT.has(status) || message.startsWith("errors.oauth_") ? oauth : null;
}

/** Answers that may name the seconds to wait. */
const RETRIED = new Set([429, 502, 503]);

function answer(status: number, entries: readonly ErrorEntry[], oauth: Action["oauth"], shared: Components): object {
  const examples = Object.fromEntries(
    entries.map((entry) => {
      const { code, message } = entry;
      const fields = FIELDS[keyOf(entry)];
      const name = oauthName(entry, oauth);
      const envelope = { error: { code, message, ...(fields ? { fields } : {}) } };
      return [label(entry), { value: name === null ? envelope : { error: name, error_description: message } }];
    }),
  );
  const shapes = [...new Set(entries.map((entry) => oauthName(entry, oauth) !== null))].map((isOAuth) =>
    isOAuth ? shared.schema(OAUTH_ERROR) : { $ref: `#/components/schemas/${ERROR_BODY}` },
  );
  return {
    description: `${usualWhen(status)} ${links(entries)}`,
    headers: {
      "X-Request-Id": shared.header("X-Request-Id"),
      ...(RETRIED.has(status) ? { "Retry-After": shared.header("Retry-After") } : {}),
      ...(status === 429 ? shared.rateLimitHeaders() : {}),
      ...(status === 401 && !oauth ? { "WWW-Authenticate": shared.header("WWW-Authenticate") } : {}),
    },
    content: { "application/json": { schema: shapes.length === 1 ? shapes[0] : { anyOf: shapes }, examples } },
  };
}

/**
 * The error answers of an operation, as references by status. Operations with the same codes share one component, named after its status
 * and its extra codes.
 * @param headers the header parameters of the operation
 * @throws TypeError for a declared code that is not in the catalogue
 */
export function errorAnswers(declaration: Declaration, headers: readonly string[], shared: Components): Record<string, object> {
  const expected = usual(declaration, headers).map((code) => lookUp(code, declaration.name));
  const declared = (declaration.errors ?? []).map((code) => lookUp(code, declaration.name));
  const extra = declared.filter((entry, at) => !expected.includes(entry) && declared.indexOf(entry) === at);
  const extras = byStatus(extra.toSorted((a, b) => (label(a) < label(b) ? -1 : 1)));
  const made: Record<string, object> = {};
  for (const [status, entries] of byStatus([...expected, ...[...extras.values()].flat()])) {
    const own = extras.get(status) ?? [];
    const { oauth } = declaration;
    const name = [NAMES[status] ?? `Status${status}`, ...(oauth ? [oauth] : []), ...own.map(label)];
    // the same extra codes without the usual ones are a different answer
    if (own.length > 0 && own.length === entries.length) name.splice(1, 0, "only");
    made[status] = shared.response(name.join("."), () => answer(status, entries, oauth, shared));
  }
  return made;
}
