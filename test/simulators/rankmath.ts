import { checkRequest, checkResponse } from "./descriptions/check-request.mjs";
import { type Described, Misunderstood, type Received, type Reply, Simulator } from "./simulator.ts";

/** A brand that the plugin monitors, as in its overview. */
export interface SimulatedBrand {
  id: string;
  name: string;
  url: string;
  locale: string | null;
  score: number | null;
  rank: number | null;
  avg_sentiment: number | null;
  mentions: number | null;
  citations: number | null;
  last_analyzed: string | null;
}

const said = ({ problems }: { problems: readonly { where: string; at: string; kind: string; detail: string }[] }) =>
  problems.map(({ where, at, kind, detail }) => `${where} ${at} ${kind}: ${detail}`);

/** The path below the REST root, for either link style; null for a page of the site. */
function routeOf({ path, query }: Pick<Received, "path" | "query">): string | null {
  const pretty = /\/wp-json\/(.+)$/.exec(path)?.[1];
  return pretty ?? query.get("rest_route")?.replace(/^\//, "") ?? null;
}

const described: Described = {
  wrongInRequest(request) {
    const route = routeOf(request);
    if (route === null) return [];
    const query = Object.fromEntries([...request.query].filter(([name]) => name !== "rest_route"));
    return said(checkRequest({ provider: "rankmath", method: request.method, path: `wp-json/${route}`, query }));
  },
  wrongInReply(request, { status, body, headers }) {
    const route = routeOf(request);
    if (route === null || headers?.["Content-Type"]?.startsWith("text/html")) return [];
    const sent = JSON.parse(JSON.stringify(body ?? null));
    return said(checkResponse({ provider: "rankmath", method: request.method, path: `wp-json/${route}`, status, body: sent }));
  },
};

/** An HTML page instead of data. */
const page = (status: number): Reply => ({
  status,
  headers: { "Content-Type": "text/html; charset=UTF-8" },
  body: "<!DOCTYPE html><title>A site</title>",
});

/** An error in WordPress's format. */
export const wordpressError = (status: number, code: string): Reply => ({
  status,
  body: { code, message: `Sorry: ${code}`, data: { status } },
});

/** A WordPress site with the plugin: users with application passwords, and the plugin's data on its brands. */
export class RankmathSimulator extends Simulator {
  /** Application passwords by user. */
  readonly users = new Map<string, string>();
  /** Users who cannot manage options. */
  readonly powerless = new Set<string>();
  readonly brands: SimulatedBrand[] = [];
  /** Responses of `insights` and `queries`, by brand. */
  readonly insights = new Map<string, unknown>();
  readonly queries = new Map<string, unknown>();
  /** The site has pretty links; without them its REST API is only at `?rest_route=`. */
  hasPrettyLinks = true;
  /** Response below `/wp-json` of a site without pretty links: the web server's 404, or the front page. */
  plainStatus: 200 | 404 = 404;
  /** The plugin is installed and recent enough. */
  hasPlugin = true;
  /** Refreshes fail: the figures stay the old ones. */
  isStale = false;
  /** The plugin's refusal of every request. */
  refusal: Reply | null = null;
  /** Installation folder of WordPress. */
  folder = "";
  protected override readonly described = described;

  get address(): string {
    return `${this.origin}${this.folder}`;
  }

  /** Requests, oldest first. */
  asked(): string[] {
    return this.received.map(({ path, query }) => decodeURIComponent(`${path}${query.size === 0 ? "" : `?${query}`}`));
  }

  protected override misunderstood(_request: Received, message: string): Reply {
    return { ...wordpressError(400, "rest_invalid_param"), body: { code: "rest_invalid_param", message, data: { status: 400 } } };
  }

  protected answer(request: Received): Reply {
    const { path, headers, query } = request;
    if (headers.cookie !== undefined) throw new Misunderstood("a cookie has no business here");
    const isPretty = path.startsWith(`${this.folder}/wp-json/`);
    if (!isPretty && path !== `${this.folder}/`) return page(404);
    if (isPretty && !this.hasPrettyLinks) return page(this.plainStatus);
    const route = routeOf(request);
    if (route === null) return page(200);
    if (!this.hasPlugin) return wordpressError(404, "rest_no_route");
    return this.#barred(headers.authorization) ?? this.refusal ?? this.#served(route, query);
  }

  #barred(authorization: string | undefined): Reply | null {
    const [, encoded = ""] = /^Basic (\S+)$/.exec(authorization ?? "") ?? [];
    const [, user = "", password = ""] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, "base64").toString()) ?? [];
    if (this.users.get(user) !== password) return wordpressError(401, "rest_forbidden");
    return this.powerless.has(user) ? wordpressError(403, "rest_forbidden") : null;
  }

  #served(route: string, query: URLSearchParams): Reply {
    const below = route.replace(/^rankmath\/v1\/ai-visibility\//, "");
    const good = (data: unknown): Reply => ({ status: 200, body: { success: true, data } });
    if (below === "overview")
      return good({
        brands: this.brands.map((brand) => ({ ...brand, status: "active" })),
        is_stale: this.isStale && query.has("refresh"),
      });
    const [, id = "", part = ""] = /^brands\/([^/]+)\/(insights|queries)$/.exec(below) ?? [];
    const found = (part === "insights" ? this.insights : this.queries).get(id);
    return found === undefined ? wordpressError(404, "aiv_not_found") : good(found);
  }
}
