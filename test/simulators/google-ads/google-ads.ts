import { SCOPE } from "../../../mixins/google/scopes.ts";
import type { GoogleSimulator } from "../google/google.ts";
import type { GooglePersonRecord } from "../google/grants.ts";
import { Misunderstood, type Received, type Reply, Simulator } from "../simulator.ts";
import { adsDescribed } from "./described.ts";
import { execute } from "./execute.ts";
import { readGaql } from "./gaql.ts";
import { adsError, frontError, noSuchVersion } from "./replies.ts";
import { AdsState, type SimulatedCustomer } from "./state.ts";

/** Page size of the provider. */
const PAGE = 10_000;
/** Days for which the provider keeps changes. */
const CHANGES_FOR = 30;

/** A request with a valid grant and developer token, for an account the person can reach. */
export interface AdsRequest {
  received: Received;
  person: GooglePersonRecord;
  customer: SimulatedCustomer;
  /** The path part before the colon, such as `campaigns`; empty for a method of the account itself. */
  collection: string;
  /** The path part after it, such as `mutate` or `generateKeywordIdeas`. */
  method: string;
  json: Record<string, unknown>;
}

/** Answers a method; null for a request it does not handle. */
export type AdsMethod = (request: AdsRequest) => Reply | null;

/**
 * Google Ads, as far as this service calls it. Grants are those of the simulated Google; searches run over the state. It checks every
 * request against the provider's own description first, and every response last. `serve` registers more methods.
 */
export class GoogleAdsSimulator extends Simulator {
  readonly state = new AdsState();
  /** Supported versions; all others are retired. */
  readonly versions = new Set(["v25", "v26"]);
  /** Page size. */
  pageRows = PAGE;
  protected override readonly described = adsDescribed;
  readonly #google: GoogleSimulator;
  readonly #methods = new Map<string, AdsMethod[]>();

  constructor(google: GoogleSimulator) {
    super();
    this.#google = google;
    this.serve("search", (request) => this.#search(request));
  }

  /** Settings that make a service call this simulator instead of Google Ads. */
  get environment(): Record<string, string> {
    return { SERVICE_ADS_API_URL: this.origin };
  }

  /** Registers a method. @param method the path part after the colon, such as `mutate` */
  serve(method: string, answer: AdsMethod): void {
    this.#methods.set(method, [...(this.#methods.get(method) ?? []), answer]);
  }

  override reset(): void {
    super.reset();
    this.state.clear();
    this.pageRows = PAGE;
    this.versions.clear();
    for (const version of ["v25", "v26"]) this.versions.add(version);
  }

  /** Calls without the version, such as `POST /customers/1/googleAds:search`, oldest first. */
  calls(method?: string): string[] {
    return this.received
      .filter(({ path }) => method === undefined || path.endsWith(`:${method}`))
      .map(({ method: verb, path }) => `${verb} ${path.replace(/^\/v\d+/, "")}`);
  }

  /** All queries, oldest first. */
  queries(): string[] {
    return this.received.filter(({ path }) => path.endsWith(":search")).map(({ body }) => String(JSON.parse(body).query));
  }

  protected override misunderstood(_request: Received, message: string): Reply {
    return adsError(400, { group: "requestError", value: "UNKNOWN", message });
  }

  protected answer(received: Received): Reply {
    const [, version = "", path = ""] = /^\/(v\d+)\/(.*)$/.exec(received.path) ?? [];
    if (!this.versions.has(version)) return noSuchVersion;
    return this.#barred(received) ?? this.#answered(received, path);
  }

  /** Checks in front of the API: the grant, its scope and the developer token. */
  #barred(received: Received): Reply | null {
    const { headers } = received;
    const secret = ["cookie", "x-api-key"].find((name) => headers[name] !== undefined);
    if (secret) throw new Misunderstood(`'${secret}' has no business here`);
    const access = this.#accessOf(received);
    if (!access) return frontError(401, "Request had invalid authentication credentials.");
    if (!access.scopes.has(SCOPE.ads))
      return frontError(403, "Request had insufficient authentication scopes.", "ACCESS_TOKEN_SCOPE_INSUFFICIENT");
    const token = headers["developer-token"];
    if (token === undefined) return adsError(400, { group: "requestError", value: "DEVELOPER_TOKEN_PARAMETER_MISSING" });
    if (!this.state.developerTokens.has(String(token)))
      return adsError(401, { group: "authenticationError", value: "DEVELOPER_TOKEN_INVALID" });
    return null;
  }

  #accessOf({ headers }: Received) {
    const [, token = ""] = /^Bearer (\S+)$/.exec(headers.authorization ?? "") ?? [];
    const access = this.#google.state.access.get(token);
    return access && access.expiresAt > Date.now() ? access : undefined;
  }

  #answered(received: Received, path: string): Reply {
    const { person } = (this.#accessOf(received) as { grant: { person: GooglePersonRecord } }).grant;
    if (path === "customers:listAccessibleCustomers") {
      const names = this.state.accessible(person.subject).map(({ resourceName }) => resourceName);
      return { status: 200, body: { resourceNames: names } };
    }
    const [, id = "", collection = "", method = ""] = /^customers\/(\d+)(?:\/(\w+))?:(\w+)$/.exec(path) ?? [];
    const customer = this.state.customers.get(id);
    const refused = this.#unreachable(received, person, customer);
    if (refused || !customer) return refused as Reply;
    const json = received.body === "" ? {} : JSON.parse(received.body);
    const request = { received, person, customer, collection, method, json };
    for (const answer of this.#methods.get(method) ?? []) {
      const reply = answer(request);
      if (reply) return reply;
    }
    throw new Misunderstood(`no such method: ${received.path}`);
  }

  /** The refusal for an account that the person cannot reach, directly or through the manager in the request. */
  #unreachable({ headers }: Received, { subject }: GooglePersonRecord, customer: SimulatedCustomer | undefined): Reply | null {
    const through = headers["login-customer-id"];
    const direct = this.state.accessible(subject);
    const login = through === undefined ? undefined : this.state.customers.get(String(through));
    if (through !== undefined && !/^\d+$/.test(String(through)))
      return adsError(400, { group: "headerError", value: "INVALID_LOGIN_CUSTOMER_ID" });
    const roots = through === undefined ? direct : direct.filter((one) => login !== undefined && one.reaches(login));
    const reached = through === undefined ? roots.some((one) => one === customer) : login && customer && login.reaches(customer);
    if (!customer || roots.length === 0 || !reached)
      return adsError(403, {
        group: "authorizationError",
        value: "USER_PERMISSION_DENIED",
        message:
          "User doesn't have permission to access customer. Note: If you're accessing a client customer, the manager's customer id must be set in the 'login-customer-id' header.",
      });
    if (customer.values.status !== "ENABLED")
      return adsError(403, { group: "authorizationError", value: "CUSTOMER_NOT_ENABLED" });
    return null;
  }

  #search({ customer, collection, json }: AdsRequest): Reply | null {
    if (collection !== "googleAds") return null;
    const gaql = readGaql(String(json["query"]));
    const isMeasured = gaql.select.some((field) => field.startsWith("metrics."));
    if (customer.values.manager && isMeasured)
      return adsError(400, { group: "queryError", value: "REQUESTED_METRICS_FOR_MANAGER" });
    if (gaql.from === "change_event") {
      const [from] = gaql.where.filter(({ field, operator }) => field === "change_event.change_date_time" && operator !== "<=");
      const oldest = new Date(Date.now() - CHANGES_FOR * 86_400_000).toISOString().slice(0, 10);
      if ((from?.values[0] ?? "").slice(0, 10) < oldest)
        return adsError(400, { group: "changeEventError", value: "START_DATE_TOO_OLD" });
    }
    const at = json["pageToken"] === undefined ? 0 : Number(Buffer.from(String(json["pageToken"]), "base64url").toString());
    if (!Number.isInteger(at)) return adsError(400, { group: "requestError", value: "INVALID_PAGE_TOKEN" });
    const rows = execute(customer, gaql);
    const end = at + this.pageRows;
    return {
      status: 200,
      body: {
        // The provider omits empty fields.
        ...(rows.length > 0 && { results: rows.slice(at, end) }),
        ...(end < rows.length && { nextPageToken: Buffer.from(String(end)).toString("base64url") }),
        fieldMask: gaql.select
          .map((field) => field.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()))
          .join(","),
      },
    };
  }
}
