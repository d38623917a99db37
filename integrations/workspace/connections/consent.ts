import { ownPath } from "../../../core/http/own-path.ts";
import { SCOPE, SCOPE_ADDRESS } from "../../../mixins/google/scopes.ts";

const CONSENT = "https://accounts.google.com/o/oauth2/v2/auth";

const TAG_MANAGER = ["readonly", "edit.containers", "edit.containerversions", "publish"].map(
  (one) => `${SCOPE_ADDRESS}tagmanager.${one}`,
);

/** The flags of a request, and the surfaces that the organisation enabled. */
export interface RequestedSurfaces {
  calendar_enabled: boolean;
  drive_enabled: boolean;
  mail_enabled: boolean;
  include_mail: boolean;
  include_marketing: boolean;
  include_analytics: boolean;
  include_search_console: boolean;
  include_ads: boolean;
  include_tag_manager: boolean;
}

/** The scopes to request: exactly those of the enabled surfaces and the flags set (workspace §2.2). */
export function scopesFor(asked: RequestedSurfaces): string[] {
  const all = asked.include_marketing;
  return [
    "openid",
    "email",
    ...(asked.calendar_enabled ? [SCOPE.calendar] : []),
    ...(asked.drive_enabled ? [SCOPE.drive] : []),
    ...(asked.include_mail && asked.mail_enabled ? [SCOPE.mail] : []),
    ...(all || asked.include_analytics ? [SCOPE.analytics] : []),
    ...(all || asked.include_search_console ? [SCOPE.searchConsole] : []),
    ...(all || asked.include_ads ? [SCOPE.ads] : []),
    ...(asked.include_tag_manager ? TAG_MANAGER : []),
  ];
}

/** The address that Google redirects to, on the requested host. */
export const callbackAddress = (origin: string): string => `${origin}/api/v1/workspace/oauth/callback`;

/** The address of the consent screen for these scopes (workspace §2.2). */
export function consentAddress(clientId: string, origin: string, scopes: readonly string[], state: string): string {
  const parameters = {
    client_id: clientId,
    redirect_uri: callbackAddress(origin),
    response_type: "code",
    scope: scopes.join(" "),
    state,
    access_type: "offline",
    prompt: "consent",
    include_granted_scopes: "true",
  };
  return `${CONSENT}?${new URLSearchParams(parameters)}`;
}

const LANDING = "/settings/account";
/** Longest path, because the consent address contains it, sealed, in `state`. */
const LONGEST_NEXT = 1000;

/** Where a person continues: a path on this site, else the account page (workspace §2.2). */
export function landing(next: string | null | undefined): string {
  const path = ownPath(next ?? null, LANDING);
  return path.length > LONGEST_NEXT ? LANDING : path;
}

/** The landing path with the outcome appended; a fragment stays at the end. */
export function landedAt(next: string, outcome: "connected" | "error"): string {
  const [path = "", ...fragment] = next.split("#");
  const hash = fragment.length > 0 ? `#${fragment.join("#")}` : "";
  return `${path}${path.includes("?") ? "&" : "?"}workspace=${outcome}${hash}`;
}

/**
 * The scopes of a grant. The token answer normally lists all of them; only if it lists none, the earlier and the requested scopes apply
 * (workspace §2.2).
 */
export const grantedScopes = (granted: readonly string[] | null, before: readonly string[], asked: readonly string[]): string[] =>
  [...new Set(granted ?? [...before, ...asked])].sort();
