import { checkAuthorizeUrl } from "../descriptions/check-request.mjs";
import { type Fault, Misunderstood, type Received, type Reply, Simulator } from "../simulator.ts";
import { GoogleCalendar } from "./calendar.ts";
import { apiOf, googleDescribed } from "./described.ts";
import { type GooglePersonRecord, GrantState, type SimulatedGrant } from "./grants.ts";
import { apiError, oauthError } from "./replies.ts";

/** A request to one of Google's APIs, with a grant that covers it. */
export interface GoogleRequest extends Received {
  /** The owner of the grant. */
  person: GooglePersonRecord;
  grant: SimulatedGrant;
  /** The decoded path parts after the API's version. */
  parts: string[];
  /** The body parsed as JSON; undefined without one. */
  json: unknown;
}

/** One API: the scopes it needs, and its responses; null for a path it does not handle. */
export interface GoogleApiPart {
  /** Scopes of which it needs one. */
  scopes: readonly string[];
  answer(request: GoogleRequest): Reply | null;
}

/** A person's choices at the consent screen. */
export interface Consent {
  /** Scopes the person leaves unticked. */
  without?: readonly string[];
  /** Denies consent. */
  refuses?: boolean;
  /** False: the token response has no refresh token, as for an earlier grant. */
  givesRefreshToken?: boolean;
}

/**
 * Google, as far as this service calls it: consent, tokens, and the APIs added with `serve`. It checks every request against Google's own
 * description first, and every response last; a mismatch is a complaint, which fails the test at its end.
 */
export class GoogleSimulator extends Simulator {
  readonly state = new GrantState();
  /** APIs disabled in the project of every OAuth client. */
  readonly disabled = new Set<string>();
  protected override readonly described = googleDescribed;
  readonly #parts = new Map<string, GoogleApiPart>();
  readonly #resets: (() => void)[] = [];
  /** Everyone has a calendar, which the service reads as soon as its person connects. */
  readonly calendar = new GoogleCalendar(this);

  /** Settings that make a service call this simulator instead of Google. */
  get environment(): Record<string, string> {
    return {
      SERVICE_WORKSPACE_OAUTH_API_URL: this.origin,
      SERVICE_WORKSPACE_CALENDAR_API_URL: `${this.origin}/calendar/v3`,
      SERVICE_WORKSPACE_DRIVE_API_URL: `${this.origin}/drive/v3`,
      SERVICE_WORKSPACE_UPLOAD_API_URL: `${this.origin}/upload/drive/v3`,
      SERVICE_WORKSPACE_GMAIL_API_URL: `${this.origin}/gmail/v1`,
      SERVICE_WORKSPACE_ANALYTICS_ADMIN_API_URL: `${this.origin}/analyticsadmin/v1beta`,
      SERVICE_WORKSPACE_ANALYTICS_DATA_API_URL: `${this.origin}/analyticsdata/v1beta`,
      SERVICE_WORKSPACE_SEARCH_CONSOLE_API_URL: `${this.origin}/webmasters/v3`,
    };
  }

  /**
   * Adds an API.
   * @param name as `apiOf` returns it: `calendar`, `drive`, `gmail`, `analyticsdata`
   * @param reset clears its state when the simulator is reset
   */
  serve(name: string, part: GoogleApiPart, reset = () => {}): void {
    this.#parts.set(name, part);
    this.#resets.push(reset);
  }

  override reset(): void {
    super.reset();
    this.state.clear();
    this.disabled.clear();
    for (const reset of this.#resets) reset();
  }

  /** Calls as `GET /calendar/v3/calendars/primary/events?syncToken=x`, oldest first; addresses contain no credentials. */
  calls(api?: string): string[] {
    const wanted = this.received.filter(({ path }) => api === undefined || apiOf(path) === api);
    return wanted.map(({ method, path, query }) => {
      const asked = decodeURIComponent(query.toString());
      return `${method} ${path}${asked === "" ? "" : `?${asked}`}`;
    });
  }

  /** Calls of the token endpoint by grant type, oldest first. */
  tokenCalls(): string[] {
    return this.received
      .filter(({ path }) => path === "/token")
      .map(({ body }) => new URLSearchParams(body).get("grant_type") ?? "");
  }

  /**
   * Plays a person at the consent screen.
   * @param address the browser was sent to
   * @returns the address the browser is sent back to
   */
  consent(
    address: string,
    person: GooglePersonRecord,
    { without = [], refuses = false, givesRefreshToken = true }: Consent = {},
  ): string {
    const { problems } = checkAuthorizeUrl(address);
    for (const { where, at, kind, detail } of problems) this.complaints.push(`consent: ${where} ${at} ${kind}: ${detail}`);
    const asked = new URL(address).searchParams;
    const clientId = asked.get("client_id") ?? "";
    if (!this.state.clients.some(({ id }) => id === clientId)) this.complaints.push(`consent: unknown OAuth client ${clientId}`);
    const back = new URL(asked.get("redirect_uri") ?? "");
    back.searchParams.set("state", asked.get("state") ?? "");
    if (refuses) {
      back.searchParams.set("error", "access_denied");
      return back.href;
    }
    const scopes = (asked.get("scope") ?? "")
      .split(" ")
      .map((scope) => (scope === "email" ? "https://www.googleapis.com/auth/userinfo.email" : scope));
    const grant = this.state.granted(
      person,
      clientId,
      scopes.filter((scope) => !without.includes(scope)),
    );
    const gives = givesRefreshToken && asked.get("access_type") === "offline" && asked.get("prompt") === "consent";
    const redirectUri = asked.get("redirect_uri") ?? "";
    back.searchParams.set("code", this.state.code({ grant, redirectUri, givesRefreshToken: gives }));
    back.searchParams.set("scope", [...grant.scopes].join(" "));
    back.searchParams.set("authuser", "0");
    back.searchParams.set("prompt", "consent");
    return back.href;
  }

  /** Revokes the person's grants at Google. */
  revoke(person: GooglePersonRecord): void {
    for (const grant of this.state.grants.filter((one) => one.person.subject === person.subject)) this.state.revoke(grant);
  }

  /** Expires every access token issued so far. */
  expireAccessTokens(): void {
    this.state.access.clear();
  }

  /** An API's refusal as a fault, for `fail` and `failWhen`: `google.fail(refusing(403, "rateLimitExceeded"))`. */
  static refusing(status: number, reason: string, parts: Parameters<typeof apiError>[2] = {}): Fault {
    const { headers, body } = apiError(status, reason, parts);
    return {
      kind: "reply",
      status,
      headers: { "Content-Type": "application/json; charset=UTF-8", ...headers },
      body: JSON.stringify(body),
    };
  }

  protected override misunderstood({ path }: Received, message: string): Reply {
    return apiOf(path) === "oauth" ? oauthError(400, "invalid_request", message) : apiError(400, "invalid", { message });
  }

  protected answer(received: Received): Reply {
    const { path, headers } = received;
    const secret = ["cookie", "x-api-key"].find((name) => headers[name] !== undefined);
    if (secret) throw new Misunderstood(`'${secret}' has no business here`);
    if (path === "/token") return this.#token(new URLSearchParams(received.body));
    if (path === "/revoke") return this.#revoked(new URLSearchParams(received.body).get("token") ?? "");
    const api = apiOf(path) as string;
    const part = this.#parts.get(api);
    if (!part) throw new Misunderstood(`nobody serves ${api}`);
    return this.#barred(api, received, part) ?? this.#served(received, part);
  }

  #grantOf({ headers }: Received) {
    const [, token = ""] = /^Bearer (\S+)$/.exec(headers.authorization ?? "") ?? [];
    const access = this.state.access.get(token);
    return access && access.expiresAt > Date.now() ? access : undefined;
  }

  /** Checks in front of an API. */
  #barred(api: string, received: Received, { scopes }: GoogleApiPart): Reply | null {
    const access = this.#grantOf(received);
    if (!access) return apiError(401, "authError", { message: "Request had invalid authentication credentials." });
    if (this.disabled.has(api))
      return apiError(403, "accessNotConfigured", {
        message: `${api} API has not been used in this project`,
        detail: "SERVICE_DISABLED",
      });
    if (!scopes.some((scope) => access.scopes.has(scope)))
      return apiError(403, "insufficientPermissions", {
        message: "Request had insufficient authentication scopes.",
        detail: "ACCESS_TOKEN_SCOPE_INSUFFICIENT",
      });
    return null;
  }

  #served(received: Received, part: GoogleApiPart): Reply {
    const { grant } = this.#grantOf(received) as { grant: SimulatedGrant };
    const behind = received.path.replace(/^\/(upload\/)?[a-z]+\/v\d+(beta)?\//, "");
    const parts = behind.split("/").map(decodeURIComponent);
    const json = received.body === "" ? undefined : JSON.parse(received.body);
    const reply = part.answer({ ...received, grant, person: grant.person, parts, json });
    if (!reply) throw new Misunderstood(`no such operation: ${received.method} ${received.path}`);
    return reply;
  }

  #token(form: URLSearchParams): Reply {
    const client = this.state.clients.find(({ id }) => id === form.get("client_id"));
    if (client?.secret !== form.get("client_secret")) return oauthError(401, "invalid_client", "Unauthorized");
    return form.get("grant_type") === "refresh_token"
      ? this.#refreshed(client?.id ?? "", form)
      : this.#redeemed(client?.id ?? "", form);
  }

  #redeemed(clientId: string, form: URLSearchParams): Reply {
    const code = this.state.codes.get(form.get("code") ?? "");
    this.state.codes.delete(form.get("code") ?? "");
    if (!code || code.grant.clientId !== clientId) return oauthError(400, "invalid_grant", "Malformed auth code.");
    if (code.redirectUri !== form.get("redirect_uri")) return oauthError(400, "redirect_uri_mismatch");
    return { status: 200, body: this.state.tokens(code.grant, { refresh: code.givesRefreshToken, identity: true }) };
  }

  #refreshed(clientId: string, form: URLSearchParams): Reply {
    const token = form.get("refresh_token") ?? "";
    const grant = this.state.grants.find(({ refreshTokens }) => refreshTokens.includes(token));
    if (!grant) return oauthError(400, "invalid_grant", "Token has been expired or revoked.");
    if (grant.clientId !== clientId) return oauthError(401, "unauthorized_client", "Unauthorized");
    return { status: 200, body: this.state.tokens(grant) };
  }

  #revoked(token: string): Reply {
    const grant =
      this.state.access.get(token)?.grant ?? this.state.grants.find(({ refreshTokens }) => refreshTokens.includes(token));
    if (!grant) return oauthError(400, "invalid_token", "Token expired or revoked");
    this.state.revoke(grant);
    return { status: 200, body: {} };
  }
}
