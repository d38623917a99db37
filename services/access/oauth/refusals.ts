import { refusal, retryAt } from "../../../core/errors/errors.ts";

/** Refusals shown only to the person, never by redirect: the client or its address is not trusted (access §8.3). */
export const clientUnknown = () => refusal("not_found", "errors.oauth_client_unknown");
export const redirectMismatch = () => refusal("validation", "errors.oauth_redirect_mismatch");
export const invalidTarget = () => refusal("invalid_target", "errors.oauth_invalid_target", { oauth: "invalid_target" });

/** A refusal of the consented scopes or challenge. */
export const invalidConsent = (message: string, field: "code_challenge" | "scopes") =>
  refusal("validation", message, { fields: { [field]: message } });

/** Refusals of the token endpoint (RFC 6749 §5.2, access §8.4). */
export const clientMissing = () => refusal("400 invalid_client", "errors.oauth_client_required", { oauth: "invalid_client" });
export const invalidClient = () => refusal("401 invalid_client", "errors.oauth_client_unknown", { oauth: "invalid_client" });
export const invalidGrant = () => refusal("invalid_grant", "errors.oauth_invalid_grant", { oauth: "invalid_grant" });
export const invalidRequest = () => refusal("invalid_request", "errors.oauth_invalid_request", { oauth: "invalid_request" });
export const unsupportedGrantType = () =>
  refusal("unsupported_grant_type", "errors.oauth_unsupported_grant_type", { oauth: "unsupported_grant_type" });

/** Refusals of registration (RFC 7591 §3.2.2). */
const ofMetadata = { oauth: "invalid_client_metadata" };
export const redirectRequired = () => refusal("validation", "errors.oauth_redirect_required", ofMetadata);
export const redirectInvalid = () => refusal("validation", "errors.oauth_redirect_invalid", ofMetadata);
/** @param until milliseconds since 1970 at which the next client without consent is removed */
export const tooManyClients = (until: number) =>
  refusal("rate_limited", "errors.oauth_too_many_clients", { ...ofMetadata, headers: retryAt(until) });
