import { openAction } from "../../../core/declare/makers/open-action.ts";
import { optional, Type } from "../../../core/schema/schema.ts";
import { DEFAULT_RESOURCE, RESOURCE_PATTERN } from "../../../core/security/oauth-resource.ts";
import { service } from "../../../mixins/resource.ts";
import { ResourceMetadata, ServerMetadata } from "./oauth-schemas.ts";
import { WHOLE_SCOPES } from "./offered-scopes.ts";

const OPEN = "a client reads it before it has anything to show";

/** The authorization server's metadata for clients; also served at the well-known paths (services/api/http/well-known.ts). */
export default service("oauth.metadata", {
  actions: {
    server: openAction({
      rest: "GET /oauth/metadata/authorization-server",
      summary: "The metadata of the authorization server (RFC 8414)",
      description: "Also at `/.well-known/oauth-authorization-server`. It describes the host of the request.",
      open: OPEN,
      needs: "nothing",
      returns: ServerMetadata,
      handler(ctx) {
        const { origin } = ctx.meta;
        const endpoint = (name: string) => `${origin}/api/v1/oauth/${name}`;
        return {
          issuer: origin,
          authorization_endpoint: `${origin}/oauth/authorize`,
          token_endpoint: endpoint("token"),
          registration_endpoint: endpoint("register"),
          revocation_endpoint: endpoint("revoke"),
          response_types_supported: ["code"],
          grant_types_supported: ["authorization_code", "refresh_token"],
          code_challenge_methods_supported: ["S256"],
          token_endpoint_auth_methods_supported: ["none", "client_secret_post"],
          scopes_supported: WHOLE_SCOPES,
          authorization_response_iss_parameter_supported: true,
          client_id_metadata_document_supported: true,
          service_documentation: `${origin}/api/docs`,
        };
      },
    }),

    resource: openAction({
      rest: "GET /oauth/metadata/protected-resource",
      summary: "The metadata of a protected resource (RFC 9728)",
      description: "Also at `/.well-known/oauth-protected-resource` and the resource's path behind it.",
      open: OPEN,
      needs: "nothing",
      query: { resource_path: optional(Type.String({ pattern: RESOURCE_PATTERN, maxLength: 255, default: DEFAULT_RESOURCE })) },
      returns: ResourceMetadata,
      handler(ctx) {
        const { origin } = ctx.meta;
        const { resource_path: path = DEFAULT_RESOURCE } = ctx.params;
        return {
          resource: `${origin}${path}`,
          authorization_servers: [origin],
          scopes_supported: WHOLE_SCOPES,
          bearer_methods_supported: ["header"],
          resource_documentation: `${origin}/api/docs`,
        };
      },
    }),
  },
});
