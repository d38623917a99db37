import { queryOne, queryOutside } from "../../../core/database/query.ts";
import { internal } from "../../../core/declare/makers/internal.ts";
import { openAction } from "../../../core/declare/makers/open-action.ts";
import type { Meta } from "../../../core/declare/principal.ts";
import { refusal } from "../../../core/errors/errors.ts";
import { setSessionCookie } from "../../../core/http/session-cookie.ts";
import { prepared, request } from "../../../core/request/context.ts";
import { optional, Type } from "../../../core/schema/schema.ts";
import { digest, sameDigest } from "../../../core/security/crypto.ts";
import { service } from "../../../mixins/resource.ts";
import { auditFailure, openSession } from "../sign-in/sign-in.ts";
import { callbackAddress, refusedAddress } from "./addresses.ts";
import { admitted } from "./admission.ts";
import type { Identity } from "./claims.ts";
import type { SsoSettingsRow } from "./models.ts";
import { authorizationAddress, NotSignedOn, providerOf, returnedIdentity, type WholeConnection } from "./provider.ts";
import {
  beginRoundTrip,
  endRoundTrip,
  keepRoundTrip,
  keptNext,
  ROUND_TRIP_COOKIE,
  type RoundTrip,
  roundTripIn,
} from "./round-trip.ts";
import { isComplete } from "./settings-rules.ts";
import { connectionOf, LOCK_SETTINGS, READ_SETTINGS } from "./stored.ts";

/** Three calls to the provider, ten seconds each, in milliseconds with a margin. */
const LONGEST = 45_000;

/** The settings if they allow signing in, or null. */
function usable(row: SsoSettingsRow | undefined): { row: SsoSettingsRow; connection: WholeConnection } | null {
  if (!row) return null;
  const connection = connectionOf(row);
  return isComplete({ ...connection, enabled: row.enabled }) ? { row, connection: connection as WholeConnection } : null;
}

const settingsOf = async ({ organisation }: Meta) => usable(await queryOutside<SsoSettingsRow>(READ_SETTINGS, [organisation.id]));

/** The result of a provider's redirect: the person, if proven, and their destination. */
interface Returned {
  next: string | null;
  identity: Identity | null;
  /** The provider the person was sent to. */
  provider: string;
}

interface CallbackParameters {
  code?: string;
  state?: string;
  iss?: string;
  error?: string;
}

/** The callback's address with the provider's parameters, for the library. */
function returnedAddress(origin: string, sent: CallbackParameters): URL {
  const url = new URL(callbackAddress(origin));
  for (const [name, value] of Object.entries(sent)) if (value !== undefined) url.searchParams.set(name, value);
  return url;
}

const isState = (sent: string | undefined, { state }: RoundTrip): boolean => sameDigest(digest(sent ?? ""), digest(state));

export default service("auth.oidc", {
  actions: {
    offered: internal({
      summary: "Read whether people can sign in at the organisation's identity provider, and the label of its button",
      open: "a sign-in page shows its options before anyone is signed in",
      needs: "nothing",
      async handler(ctx) {
        const row = await queryOne<SsoSettingsRow>(READ_SETTINGS, [ctx.meta.organisation.id]);
        return { name: usable(row)?.row.name ?? null };
      },
    }),

    login: openAction({
      rest: "GET /auth/oidc/login",
      verb: "login",
      summary: "Start signing in at the organisation's identity provider",
      description: "Redirects to the provider, with PKCE, state and nonce; only this browser can complete the sign-in.",
      open: "signing in is how a session begins",
      needs: "nothing",
      query: { next: optional(Type.String({ description: "Where to go on, a path of this site" })) },
      returns: null,
      status: 302,
      otherStatuses: { 200: "Never: the answer is always a redirect" },
      errors: ["sso_not_configured"],
      timeout: LONGEST,
      async prepare(ctx) {
        const settings = await settingsOf(ctx.meta);
        if (!settings) throw refusal("sso_not_configured");
        const { organisation, origin } = ctx.meta;
        const next = keptNext(ctx.params.next);
        const roundTrip = beginRoundTrip(next, providerOf(settings.connection), Date.now());
        try {
          const to = await authorizationAddress(settings.connection, organisation.id, callbackAddress(origin), roundTrip);
          return { location: to, cookie: keepRoundTrip(roundTrip, organisation.id) };
        } catch (error) {
          if (!(error instanceof NotSignedOn)) throw error;
          ctx.service?.logger.warn(
            { event: "sso.provider_not_reached", organisation: organisation.slug, reason: error.message },
            "no way to the identity provider",
          );
          return { location: refusedAddress("oidc", next), cookie: endRoundTrip() };
        }
      },
      async handler() {
        const { location, cookie } = prepared<{ location: string; cookie: string }>();
        Object.assign(request().headers, { Location: location, "Set-Cookie": cookie, "Cache-Control": "no-store" });
      },
    }),

    callback: openAction({
      rest: "GET /auth/oidc/callback",
      verb: "callback",
      summary: "Return from the organisation's identity provider",
      description: "Always redirects: to the page the person wanted, or to the sign-in page with an error.",
      open: "signing in is how a session begins",
      needs: "nothing",
      cookie: ROUND_TRIP_COOKIE,
      query: {
        code: optional(Type.String()),
        state: optional(Type.String()),
        iss: optional(Type.String()),
        error: optional(Type.String()),
      },
      returns: null,
      status: 307,
      otherStatuses: { 200: "Never: the answer is always a redirect" },
      writes: true,
      timeout: LONGEST,
      // A code can be redeemed only once.
      acts: "outside",
      async prepare(ctx): Promise<Returned> {
        const { organisation, origin } = ctx.meta;
        const roundTrip = roundTripIn(request().cookie, organisation.id, Date.now());
        const unproven = { next: roundTrip?.next ?? null, identity: null, provider: roundTrip?.provider ?? "" };
        if (!roundTrip || !isState(ctx.params.state, roundTrip)) return unproven;
        const settings = await settingsOf(ctx.meta);
        if (!settings || providerOf(settings.connection) !== roundTrip.provider) return unproven;
        const { code, state, iss, error } = ctx.params;
        const address = returnedAddress(origin, { code, state, iss, error });
        try {
          const identity = await returnedIdentity(settings.connection, organisation.id, address, roundTrip);
          return { ...unproven, identity };
        } catch (thrown) {
          if (!(thrown instanceof NotSignedOn)) throw thrown;
          ctx.service?.logger.warn(
            { event: "sso.sign_in_refused", organisation: organisation.slug, reason: thrown.message },
            "not signed in at the provider",
          );
          return unproven;
        }
      },
      async handler(ctx) {
        const { next, identity, provider } = prepared<Returned>();
        const go = (location: string, ...cookies: string[]) => {
          const headers = { Location: location, "Set-Cookie": [endRoundTrip(), ...cookies], "Cache-Control": "no-store" };
          Object.assign(request().headers, headers);
        };
        if (!identity) return go(refusedAddress("oidc", next));
        const settings = usable(await queryOne<SsoSettingsRow>(LOCK_SETTINGS, [ctx.meta.organisation.id]));
        // Settings changed since the redirect apply immediately.
        if (!settings || providerOf(settings.connection) !== provider) return go(refusedAddress("oidc", next));
        const admission = await admitted(identity, settings.row);
        if ("refused" in admission) {
          auditFailure(admission.known, "sso");
          return go(refusedAddress(admission.refused, next));
        }
        return go(next ?? "/", setSessionCookie(openSession(admission.accountId, "sso", ctx.meta)));
      },
    }),
  },
});
