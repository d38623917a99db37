/** One API error, from `errorCode: {group: VALUE}`. */
export interface AdsError {
  group: string;
  value: string;
  /** The provider's text, unredacted. */
  message: string;
  /** Index of the failed operation; null if the provider does not name it. */
  operation: number | null;
  /** In the provider's notation, such as `2s`. */
  retryDelay: string | null;
}

/** A `GoogleAdsFailure`. */
export interface AdsErrors {
  errors: AdsError[];
  requestId: string | null;
}

type Fields = Record<string, unknown>;

export const objectIn = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
export const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);

const ENUM_NUMBER = /^-?\d+$/;

function errorOf(value: unknown): AdsError[] {
  const { errorCode, message, location, details } = objectIn(value);
  const [named] = Object.entries(objectIn(errorCode));
  // Skip groups without a string value, such as groups newer than this service.
  if (typeof named?.[1] !== "string") return [];
  const path = listOf(objectIn(location)["fieldPathElements"]).map(objectIn);
  const at = path.find(({ fieldName }) => fieldName === "operations")?.["index"];
  const index = typeof at === "string" && ENUM_NUMBER.test(at) ? Number(at) : at;
  return [
    {
      group: named[0],
      value: named[1],
      message: textOf(message) ?? "",
      operation: typeof index === "number" && Number.isInteger(index) && index >= 0 ? index : null,
      retryDelay: textOf(objectIn(objectIn(details)["quotaErrorDetails"])["retryDelay"]),
    },
  ];
}

/** The failure in the details of an error or partial failure; null if they contain no named error. */
export function failureAmong(details: unknown): AdsErrors | null {
  for (const detail of listOf(details).map(objectIn)) {
    if (!/GoogleAdsFailure$/.test(textOf(detail["@type"]) ?? "")) continue;
    const errors = listOf(detail["errors"]).flatMap(errorOf);
    if (errors.length > 0) return { errors, requestId: textOf(detail["requestId"]) };
  }
  return null;
}

/** The failure in a response body; null for HTML, other JSON and errors without a named code. */
export function failureIn(body: string): AdsErrors | null {
  try {
    const parsed: unknown = JSON.parse(body);
    // A streaming call responds with a list.
    return failureAmong(objectIn(objectIn(Array.isArray(parsed) ? parsed[0] : parsed)["error"])["details"]);
  } catch {
    return null;
  }
}
