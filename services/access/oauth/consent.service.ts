import { action } from "../../../core/declare/action.ts";
import { openAction } from "../../../core/declare/makers/open-action.ts";
import { holds } from "../../../core/declare/permissions.ts";
import type { Principal } from "../../../core/declare/principal.ts";
import { forbidden } from "../../../core/errors/errors.ts";
import { withParameters } from "../../../core/http/redirect-address.ts";
import { prepared } from "../../../core/request/context.ts";
import { nullable, optional, text } from "../../../core/schema/schema.ts";
import { isChallenge } from "../../../core/security/pkce.ts";
import { service } from "../../../mixins/resource.ts";
import { requirePerson } from "../keys/key-creation.ts";
import { areScopes, coversScopes } from "../keys/key-rules.ts";
import type { Client } from "./clients.ts";
import { approve, askingClient } from "./consent.ts";
import { ConsentApproval, ConsentRequest, ConsentResult } from "./oauth-schemas.ts";
import { asksForAll, offeredScopes } from "./offered-scopes.ts";
import { invalidConsent } from "./refusals.ts";

const MANAGE = "apikeys.personal.manage";
const UNTRUSTED = [
  "not_found errors.oauth_client_unknown",
  "validation errors.oauth_redirect_mismatch",
  "invalid_target errors.oauth_invalid_target",
];

/** Whether a caller can consent at all: a person who impersonates nobody (access §6.2). */
const mayConsent = (principal: Principal | null): boolean => principal?.accountId != null && !principal.impersonation;

/** A client's request for consent, and the person's decision (access §8.3). */
export default service("oauth.consent", {
  actions: {
    describe: openAction({
      rest: "GET /oauth/consent",
      summary: "Read a client's request, as the consent page shows it",
      description:
        "Writes nothing. `scopes` lists the requested permissions that the caller can grant; `full` is true if everything is requested, which is a separate choice.",
      open: "every member can see who requests access",
      sessionOnly: true,
      query: {
        client_id: text(1024),
        redirect_uri: text(1100),
        scope: optional(text(8192, { default: "" })),
        resource: optional(nullable(text(1024))),
      },
      returns: ConsentRequest,
      errors: UNTRUSTED,
      exceptions: { statements: "one client, found by its id" },
      prepare: (ctx) => askingClient(ctx.params, ctx.meta),
      handler(ctx) {
        const { scope = "", redirect_uri, resource } = ctx.params;
        const { name, uri } = prepared<Client>();
        const grants = ctx.meta.principal?.grants ?? [];
        return {
          client_name: name,
          client_uri: uri,
          full: asksForAll(scope),
          issuer: ctx.meta.origin,
          may_approve: holds(grants, MANAGE) && mayConsent(ctx.meta.principal),
          redirect_uri,
          resource: resource || null,
          scopes: offeredScopes(grants, scope),
        };
      },
    }),

    approve: action({
      rest: "POST /oauth/consent",
      verb: "approve",
      summary: "Let a client act on your behalf",
      description:
        "`redirect_to` is the address for the browser, with a code that works once, within ten minutes. PKCE with S256 is required.",
      permission: MANAGE,
      sessionOnly: true,
      body: ConsentApproval,
      returns: ConsentResult,
      status: 200,
      oneTime: true,
      errors: [
        ...UNTRUSTED,
        "validation errors.oauth_pkce_required",
        "validation errors.oauth_scope_empty",
        "validation errors.oauth_scope_invalid",
        "forbidden errors.apikey_scope_exceeds_grants",
      ],
      prepare: (ctx) => askingClient(ctx.params.body, ctx.meta),
      async handler(ctx) {
        const { body } = ctx.params;
        const { principal, origin } = ctx.meta;
        const accountId = requirePerson(principal);
        const { code_challenge_method: method = "S256", scopes = [] } = body;
        if (!isChallenge(body.code_challenge, method)) throw invalidConsent("errors.oauth_pkce_required", "code_challenge");
        if (scopes.length === 0) throw invalidConsent("errors.oauth_scope_empty", "scopes");
        if (!areScopes(scopes)) throw invalidConsent("errors.oauth_scope_invalid", "scopes");
        if (!coversScopes(principal?.grants ?? [], scopes)) throw forbidden("errors.apikey_scope_exceeds_grants");
        const code = await approve(prepared<Client>(), accountId, body);
        return { redirect_to: withParameters(body.redirect_uri, { code, iss: origin, state: body.state }) };
      },
    }),
  },
});
