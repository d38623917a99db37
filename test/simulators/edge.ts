import type { TokenVerifyResponse } from "cloudflare/resources/user/tokens";
import { descriptionIn } from "./description.ts";
import { reported } from "./edge/documented.ts";
import { type EdgePart, type EdgeRequest, envelope, refused } from "./edge/envelope.ts";
import { type ListQuirk, paging } from "./edge/paging.ts";
import { RulesetState, rulesetParts } from "./edge/rulesets.ts";
import { accountParts } from "./edge/sites.ts";
import { EdgeState } from "./edge/state.ts";
import { zoneParts } from "./edge/zones.ts";
import { Misunderstood, type Received, type Reply, Simulator } from "./simulator.ts";

const ROOT = "/client/v4";
const TOKEN = /^Bearer ([\w-]{20,512})$/;

/** The status of a token at the provider. */
export type TokenState =
  | "fine"
  /** 401/1000 everywhere. */
  | "revoked"
  /** Owned by an account: 401/1000 when verified as a person's token. */
  | "of an account"
  /** 403/9109 everywhere. */
  | "blocked"
  /** 400/6003 everywhere. */
  | "malformed";

/**
 * Cloudflare's API v4, as far as this service calls it: zones, records, redirect rules, static sites and registered domains of its
 * accounts, all visible to every token. Files in the folder `edge` implement parts of it; `parts` accepts more.
 */
export class EdgeSimulator extends Simulator {
  readonly state = new EdgeState();
  readonly redirects = new RulesetState();
  readonly tokens = new Map<string, TokenState>();
  readonly quirks = new Map<string, ListQuirk>();
  protected override readonly described = descriptionIn("cloudflare.v4.json");
  readonly #denied: RegExp[] = [];
  readonly #listed = paging((path) => this.quirks.get(path) ?? {});
  readonly parts: EdgePart[] = [
    rulesetParts(this.state, this.redirects),
    zoneParts(this.state, this.#listed),
    accountParts(this.state, this.#listed),
  ];

  /** Value of `SERVICE_EDGE_API_URL`. */
  get root(): string {
    return `${this.origin}${ROOT}`;
  }

  override reset(): void {
    super.reset();
    this.state.clear();
    this.redirects.clear();
    this.tokens.clear();
    this.quirks.clear();
    this.#denied.length = 0;
  }

  /** Rejects every call whose method and path below the root match, like a token without that scope: 403/10000. */
  deny(path: RegExp): void {
    this.#denied.push(path);
  }

  /** Calls as `GET /zones?page=1`, oldest first, without credentials. */
  calls(): string[] {
    return this.received.map(({ method, path, query }) => {
      const asked = query.toString();
      return `${method} ${path.slice(ROOT.length)}${asked === "" ? "" : `?${decodeURIComponent(asked)}`}`;
    });
  }

  protected answer(received: Received): Reply {
    const { method, path, headers } = received;
    const secret = ["cookie", "x-api-key", "x-auth-key"].find((name) => headers[name] !== undefined);
    if (secret) throw new Misunderstood(`'${secret}' has no business here`);
    if (!path.startsWith(`${ROOT}/`)) throw new Misunderstood("no such place");
    const [, token] = TOKEN.exec(headers.authorization ?? "") ?? [];
    if (token === undefined) return refused(400, 6003, "Invalid request headers");
    if (received.body !== "" && !/^application\/json/.test(headers["content-type"] ?? ""))
      throw new Misunderstood(`the body is ${headers["content-type"]}`);
    const below = path.slice(ROOT.length);
    const request: EdgeRequest = { ...received, token, parts: below.slice(1).split("/").map(decodeURIComponent) };
    return this.#barred(request, below) ?? this.#verified(request) ?? this.#served(request, `${method} ${below}`);
  }

  /** The refusal for the token's state, checked first. */
  #barred({ token, method }: EdgeRequest, below: string): Reply | null {
    const state = this.tokens.get(token) ?? "fine";
    if (state === "revoked") return refused(401, 1000, `Invalid API Token ${token}`);
    if (state === "of an account" && below === "/user/tokens/verify") return refused(401, 1000, "Invalid API Token");
    if (state === "blocked") return refused(403, 9109, "Cannot use the access token from location: 192.0.2.1");
    if (state === "malformed") return refused(400, 6003, "Invalid request headers");
    return this.#denied.some((denied) => denied.test(`${method} ${below}`)) ? refused(403, 10000, "Authentication error") : null;
  }

  #verified({ method, parts, token }: EdgeRequest): Reply | null {
    const path = parts.join("/");
    const isOfAccount = /^accounts\/[^/]+\/tokens\/verify$/.test(path);
    if (method !== "GET" || !(path === "user/tokens/verify" || isOfAccount)) return null;
    if (isOfAccount && this.tokens.get(token) !== "of an account") return refused(401, 1000, "Invalid API Token");
    return envelope(reported<TokenVerifyResponse>()({ id: "a-token", status: "active" }));
  }

  #served(request: EdgeRequest, what: string): Reply {
    for (const part of this.parts) {
      const reply = part(request);
      if (reply) return reply;
    }
    throw new Misunderstood(`no such operation: ${what}`);
  }
}
