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
} from "../../../core/declare/schema.ts";

/** A member of a form that may be left out. */
const member = () => optional(nullable(presented(4096)));

export const ClientRegistration = input("ClientRegistration", {
  client_name: optional(text(200, { default: "MCP client" })),
  client_uri: optional(nullable(link(1024))),
  // Taken and not kept: nothing loads it.
  logo_uri: optional(nullable(text(1024))),
  redirect_uris: optional(
    Type.Array(Type.String({ example: "https://app.example.com/callback" }), { default: [], maxItems: 100 }),
  ),
  token_endpoint_auth_method: optional(line({ default: "none" })),
});

export const RegisteredClient = answer("RegisteredClient", {
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
});

const ConsentScope = answer("ConsentScope", {
  label_key: Type.String(),
  preselected: flag(),
  read: flag(),
  value: Type.String(),
});
export const ConsentRequest = answer("ConsentRequest", {
  client_name: Type.String(),
  client_uri: nullable(Type.String()),
  full: flag(),
  issuer: Type.String(),
  may_approve: flag(),
  redirect_uri: Type.String(),
  resource: nullable(Type.String()),
  scopes: list(ConsentScope),
});
export const ConsentApproval = input("ConsentApproval", {
  client_id: text(1024),
  code_challenge: text(1024),
  code_challenge_method: optional(text(32, { default: "S256" })),
  redirect_uri: text(1100),
  resource: optional(nullable(text(1024))),
  scopes: optional(Type.Array(Type.String(), { default: [] })),
  state: optional(nullable(text(4096))),
});
export const ConsentResult = answer("ConsentResult", { redirect_to: Type.String() });

export const TokenForm = input("TokenForm", {
  client_id: member(),
  client_secret: member(),
  code: member(),
  code_verifier: member(),
  grant_type: presented(255),
  redirect_uri: member(),
  refresh_token: member(),
  resource: member(),
});
export const TokenAnswer = answer("TokenAnswer", {
  access_token: Type.String(),
  expires_in: integer(),
  refresh_token: Type.String(),
  scope: Type.String(),
  token_type: Type.Unsafe<"Bearer">({ type: "string", enum: ["Bearer"] }),
});
export const RevocationForm = input("RevocationForm", { token: presented(4096) });

export const OAuthConnectionRead = answer("OAuthConnectionRead", {
  client_name: Type.String(),
  client_uri: nullable(Type.String()),
  created_at: instant(),
  id: uuid(),
  last_used_at: nullable(instant()),
  sessions: Type.Integer(),
});

const texts = () => list(Type.String());
export const ServerMetadata = answer("AuthorizationServerMetadata", {
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
});
export const ResourceMetadata = answer("ProtectedResourceMetadata", {
  authorization_servers: texts(),
  bearer_methods_supported: texts(),
  resource: Type.String(),
  resource_documentation: Type.String(),
  scopes_supported: texts(),
});
