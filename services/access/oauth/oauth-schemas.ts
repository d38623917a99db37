import {
  answer,
  flag,
  input,
  instant,
  integer,
  line,
  link,
  list,
  nullable,
  optional,
  presented,
  Type,
  text,
  uuid,
} from "../../../core/schema/schema.ts";

/** An optional form field. */
const member = () => optional(nullable(presented(4096)));

export const ClientRegistration = input(
  "ClientRegistration",
  {
    client_name: optional(text(200, { default: "MCP client" })),
    client_uri: optional(nullable(link(1024))),
    // Accepted but not stored: nothing loads it.
    logo_uri: optional(nullable(text(1024))),
    redirect_uris: optional(
      Type.Array(Type.String({ example: "https://app.example.com/callback" }), { default: [], maxItems: 100 }),
    ),
    token_endpoint_auth_method: optional(line({ default: "none" })),
  },
  {
    client_name: "Name of the application, which the consent page shows",
    client_uri: "Website of the application; null if none",
    logo_uri: "Accepted and not used: the service loads no logo",
    redirect_uris:
      "Addresses that the browser may return to: https, http on this machine, or a scheme of the application. At least one is needed",
    token_endpoint_auth_method:
      "`client_secret_post` for an application that can protect a secret; any other value counts as `none`",
  },
);

export const RegisteredClient = answer(
  "RegisteredClient",
  {
    client_id: Type.String(),
    client_id_issued_at: Type.Integer(),
    client_name: Type.String(),
    client_secret: optional(Type.String()),
    client_secret_expires_at: optional(Type.Integer()),
    client_uri: optional(Type.String()),
    grant_types: list(Type.String()),
    redirect_uris: list(Type.String()),
    response_types: list(Type.String()),
    token_endpoint_auth_method: Type.Unsafe<string>({ type: "string", enum: ["none", "client_secret_post"] }),
  },
  {
    client_id: "Id of the application in calls of OAuth",
    client_id_issued_at: "When it was registered, in seconds since 1970-01-01 UTC",
    client_name: "Name of the application",
    client_secret: "Secret of an application with `client_secret_post`. No other answer contains it",
    client_secret_expires_at: "0: the secret does not expire. Only sent with a secret",
    client_uri: "Website of the application, where one was sent",
    grant_types: "Grants that the token endpoint accepts from it",
    redirect_uris: "Addresses that the browser may return to, compared to the letter",
    response_types: "Response types of the authorization endpoint",
    token_endpoint_auth_method: "How the application proves itself at the token endpoint",
  },
);

const ConsentScope = answer(
  "ConsentScope",
  {
    label_key: Type.String(),
    preselected: flag(),
    read: flag(),
    value: Type.String(),
  },
  {
    label_key: "Translation key of the permission",
    preselected: "Whether the consent page ticks it beforehand",
    read: "Whether it only reads",
    value: "The permission, to be sent among `scopes`",
  },
);
export const ConsentRequest = answer(
  "ConsentRequest",
  {
    client_name: Type.String(),
    client_uri: nullable(Type.String()),
    full: flag(),
    issuer: Type.String(),
    may_approve: flag(),
    redirect_uri: Type.String(),
    resource: nullable(Type.String()),
    scopes: list(ConsentScope),
  },
  {
    client_name: "Name of the requesting application",
    client_uri: "Website of the application; null if none",
    full: "Whether all permissions of the caller are requested",
    issuer: "Address of this authorization server",
    may_approve: "Whether the caller has permission to approve",
    redirect_uri: "Address that the browser returns to",
    resource: "Address of the resource to access; null if none",
    scopes: "Permissions that can be approved: requested ones that the caller has",
  },
);
export const ConsentApproval = input(
  "ConsentApproval",
  {
    client_id: text(1024),
    code_challenge: text(1024),
    code_challenge_method: optional(text(32, { default: "S256" })),
    redirect_uri: text(1100),
    resource: optional(nullable(text(1024))),
    scopes: optional(Type.Array(Type.String(), { default: [] })),
    state: optional(nullable(text(4096))),
  },
  {
    client_id: "The application",
    code_challenge: "Challenge of PKCE, 43 to 128 characters (RFC 7636)",
    code_challenge_method: "Only `S256` is accepted",
    redirect_uri: "Registered address to which the browser returns",
    resource: "Address of the resource to access; null if none",
    scopes: "Permissions to grant, at least one; the caller has each of them",
    state: "Text of the application, returned with the code; null if none",
  },
);
export const ConsentResult = answer(
  "ConsentResult",
  { redirect_to: Type.String() },
  { redirect_to: "Where to send the browser: the redirect address with `code`, `iss` and `state`" },
);

export const TokenForm = input(
  "TokenForm",
  {
    client_id: member(),
    client_secret: member(),
    code: member(),
    code_verifier: member(),
    grant_type: presented(255),
    redirect_uri: member(),
    refresh_token: member(),
    resource: member(),
  },
  {
    client_id: "The application",
    client_secret: "Secret of the application, where it has one",
    code: "With `authorization_code`: the code, good once and for 10 minutes",
    code_verifier: "With `authorization_code`: the verifier of PKCE (RFC 7636)",
    grant_type: "`authorization_code` or `refresh_token`",
    redirect_uri: "With `authorization_code`: the address that the code was sent to",
    refresh_token: "With `refresh_token`: the newest refresh token; each use replaces it",
    resource: "The approved resource; can be omitted",
  },
);
export const TokenAnswer = answer(
  "TokenAnswer",
  {
    access_token: Type.String(),
    expires_in: integer(),
    refresh_token: Type.String(),
    scope: Type.String(),
    token_type: Type.Unsafe<"Bearer">({ type: "string", enum: ["Bearer"] }),
  },
  {
    access_token: "Key for calls of the API, to be sent as a bearer token",
    expires_in: "Seconds until the access token expires",
    refresh_token: "Token for the next access token, valid for 90 days. It replaces the previous one",
    scope: "Permissions that were approved, separated by blanks",
    token_type: "Always `Bearer`",
  },
);
export const RevocationForm = input(
  "RevocationForm",
  { token: presented(4096) },
  { token: "An access or refresh token. Its whole session ends; an unknown token changes nothing" },
);

export const OAuthConnectionRead = answer(
  "OAuthConnectionRead",
  {
    client_name: Type.String(),
    client_uri: nullable(Type.String()),
    created_at: instant(),
    id: uuid(),
    last_used_at: nullable(instant()),
    sessions: Type.Integer(),
  },
  {
    client_name: "Name of the application",
    client_uri: "Website of the application; null if none",
    id: "The connection",
    created_at: "When the caller first approved the application, UTC",
    last_used_at: "When it last called, UTC, up to five minutes late; null for never",
    sessions: "Number of the caller's sessions of the application that are not revoked",
  },
);

const texts = () => list(Type.String());
export const ServerMetadata = answer(
  "AuthorizationServerMetadata",
  {
    authorization_endpoint: Type.String(),
    authorization_response_iss_parameter_supported: flag(),
    client_id_metadata_document_supported: flag(),
    code_challenge_methods_supported: texts(),
    grant_types_supported: texts(),
    issuer: Type.String(),
    registration_endpoint: Type.String(),
    response_types_supported: texts(),
    revocation_endpoint: Type.String(),
    scopes_supported: texts(),
    service_documentation: Type.String(),
    token_endpoint: Type.String(),
    token_endpoint_auth_methods_supported: texts(),
  },
  {
    authorization_endpoint: "Page on which a person approves",
    authorization_response_iss_parameter_supported: "Whether the redirect carries `iss` (RFC 9207)",
    client_id_metadata_document_supported: "Whether a `client_id` can be the address of a metadata document",
    code_challenge_methods_supported: "Methods of PKCE",
    grant_types_supported: "Grants of the token endpoint",
    issuer: "Address of this authorization server",
    registration_endpoint: "Where applications register themselves (RFC 7591)",
    response_types_supported: "Response types of the authorization endpoint",
    revocation_endpoint: "Where tokens are revoked (RFC 7009)",
    scopes_supported: "Scopes that bundle several permissions",
    service_documentation: "Address of the API reference",
    token_endpoint: "Where codes and refresh tokens are exchanged",
    token_endpoint_auth_methods_supported: "How applications prove themselves at the token endpoint",
  },
);
export const ResourceMetadata = answer(
  "ProtectedResourceMetadata",
  {
    authorization_servers: texts(),
    bearer_methods_supported: texts(),
    resource: Type.String(),
    resource_documentation: Type.String(),
    scopes_supported: texts(),
  },
  {
    authorization_servers: "Addresses of the authorization servers that grant access",
    bearer_methods_supported: "How the access token is sent",
    resource: "Address of the resource",
    resource_documentation: "Address of the API reference",
    scopes_supported: "Scopes that bundle several permissions",
  },
);
