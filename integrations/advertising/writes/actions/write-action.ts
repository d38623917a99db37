import { AdsMutationRead } from "../gate/answer.ts";

/** Errors of every write. */
const ERRORS = [
  "ads_platform_api_version",
  "ads_platform_auth",
  "ads_platform_developer_token",
  "ads_platform_error",
  "ads_platform_not_configured",
  "ads_platform_permission",
  "ads_platform_quota",
  "ads_platform_request",
  "ads_platform_token_unreadable",
  "ads_platform_unreachable",
  "ads_platform_writes_disabled",
];

/** The errors of a write. @param more errors of its own rules */
export const writeErrors = (...more: string[]): string[] => [...ERRORS, ...more];

/** The declarations that every write shares. */
export const WRITES = { returns: AdsMutationRead, acts: "outside" } as const;

/** The note in every write's description. */
export const ONCE =
  "The service sends it once. If its outcome is unknown, the error is 502 `ads_platform_unreachable` with `details.intent_id`; a job resolves it by reading from the provider, and `GET …/decisions?state=unknown` lists it until then. `If-Match` is the state of the account.";
