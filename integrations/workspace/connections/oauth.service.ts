import { action } from "../../../core/declare/action.ts";
import type { Meta, Principal } from "../../../core/declare/principal.ts";
import { forbidden } from "../../../core/errors/errors.ts";
import { requireNoImpersonation } from "../../../core/request/caller.ts";
import { prepared, request } from "../../../core/request/context.ts";
import { flag, optional, Type } from "../../../core/schema/schema.ts";
import { requireConfigured, storedSettings } from "../../../mixins/google/oauth-settings.ts";
import { service } from "../../../mixins/resource.ts";
import { type Grant, NotConnected, redeem, storeGrant } from "./connecting.ts";
import { consentAddress, landedAt, landing, scopesFor } from "./consent.ts";
import { type ConsentState, openState, sealState } from "./consent-state.ts";

/** Timeout in milliseconds; the token endpoint alone can take 20 seconds. */
const LONGEST = 45_000;

const include = (what: string) => ({ ...flag(false), description: `Whether to also request the permission to ${what}` });

/** The result of the consent screen. */
interface Returned {
  state: ConsentState | null;
  grant: Grant | null;
}

/** The caller, who must be a person, because a Google account belongs to one. @throws 403 for a service account and during impersonation */
function requirePerson({ principal }: Meta): Principal {
  requireNoImpersonation(principal);
  if (!principal?.accountId) throw forbidden();
  return principal;
}

function go(location: string): void {
  Object.assign(request().headers, { Location: location, "Cache-Control": "no-store" });
}

/** Connects an account at Google (workspace §2.2). */
export default service("workspace.oauth", {
  actions: {
    connect: action({
      rest: "GET /workspace/oauth/connect",
      verb: "connect",
      summary: "Begin to connect your account at Google",
      description:
        "Redirects to Google's consent screen, which requests exactly the scopes of the organisation's enabled surfaces and of the flags set here. Return with the same session or key within ten minutes.",
      permission: "workspace.connection.manage",
      query: {
        include_mail: optional(include("read mail, if the organisation has enabled mail")),
        include_marketing: optional(include("read Analytics and Search Console and manage advertising")),
        include_analytics: optional(include("read Analytics")),
        include_search_console: optional(include("read Search Console")),
        include_ads: optional(include("manage advertising")),
        include_tag_manager: optional(include("change and publish containers of Tag Manager")),
        next: optional(
          Type.String({
            default: "",
            description: "Where to continue afterwards: a path of this site, else `/settings/account`",
          }),
        ),
      },
      returns: null,
      status: 302,
      otherStatuses: { 200: "Never: the answer is always a redirect" },
      errors: ["workspace_not_configured"],
      async handler(ctx) {
        const principal = requirePerson(ctx.meta);
        const settings = await storedSettings();
        const client = requireConfigured(settings);
        const { next, ...flags } = ctx.params;
        const scopes = scopesFor({
          calendar_enabled: settings?.calendar_enabled ?? false,
          drive_enabled: settings?.drive_enabled ?? false,
          mail_enabled: settings?.mail_enabled ?? false,
          include_mail: flags.include_mail ?? false,
          include_marketing: flags.include_marketing ?? false,
          include_analytics: flags.include_analytics ?? false,
          include_search_console: flags.include_search_console ?? false,
          include_ads: flags.include_ads ?? false,
          include_tag_manager: flags.include_tag_manager ?? false,
        });
        const begun = { next: landing(next), scopes, clientId: client.id };
        const state = sealState(begun, ctx.meta.organisation.id, principal, Date.now());
        go(consentAddress(client.id, ctx.meta.origin, scopes, state));
      },
    }),

    callback: action({
      rest: "GET /workspace/oauth/callback",
      verb: "callback",
      summary: "Come back from Google's consent screen",
      description:
        "Always redirects: to the page where connecting started, with `workspace=connected` or `workspace=error` appended. A refused consent, a state of another session and a failed exchange are such errors, and so is a first consent without a refresh token (`workspace_no_refresh_token` in the log).",
      permission: "workspace.connection.manage",
      query: {
        code: optional(Type.String({ description: "Google's code, redeemed once" })),
        state: optional(Type.String({ description: "The state that this service sent to Google with the person" })),
        error: optional(Type.String({ description: "Google's error code if there is no code" })),
        scope: optional(Type.String({ description: "Granted scopes; those of the token's answer count" })),
        authuser: optional(Type.String({ description: "Which of the browser's accounts it was; ignored" })),
        hd: optional(Type.String({ description: "Domain of the account; ignored" })),
        prompt: optional(Type.String({ description: "Which prompt Google showed; ignored" })),
        iss: optional(Type.String({ description: "Who answers (RFC 9207); ignored" })),
      },
      returns: null,
      status: 307,
      otherStatuses: { 200: "The page that the redirect leads to" },
      writes: true,
      timeout: LONGEST,
      // A code can be redeemed only once.
      acts: "outside",
      async prepare(ctx): Promise<Returned> {
        const { organisation } = ctx.meta;
        const principal = requirePerson(ctx.meta);
        const { code, state: sent, error } = ctx.params;
        const state = openState(sent, organisation.id, principal, Date.now());
        if (!state || code === undefined || error !== undefined) return { state, grant: null };
        try {
          return { state, grant: await redeem(code, state, ctx.meta.origin) };
        } catch (thrown) {
          if (!(thrown instanceof NotConnected)) throw thrown;
          ctx.service?.logger.warn(
            { event: "workspace.account_not_connected", organisation: organisation.slug, reason: thrown.message },
            "the account is not connected",
          );
          return { state, grant: null };
        }
      },
      async handler(ctx) {
        const { state, grant } = prepared<Returned>();
        const refused = state && grant ? await storeGrant(grant, state) : "none";
        if (grant && refused)
          ctx.service?.logger.warn(
            { event: "workspace.account_not_connected", organisation: ctx.meta.organisation.slug, reason: refused },
            "the account is not connected",
          );
        go(landedAt(state?.next ?? landing(null), refused === null ? "connected" : "error"));
      },
    }),
  },
});
