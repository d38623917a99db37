import { checkRequest, checkResponse } from "./descriptions/check-request.mjs";
import { type Described, Misunderstood, type Received, type Reply, Simulator } from "./simulator.ts";

/** Positions by day; 0 means not ranking. */
export type SimulatedPositions = Readonly<Record<string, number>>;

export interface SimulatedKeyword {
  id: string;
  name: string;
  group_id: number;
  volume: number;
  positions: SimulatedPositions;
  /** Ranking addresses, oldest first. */
  pages?: string[];
}

export interface SimulatedAudit {
  id: number;
  site_id: number;
  status: string;
  last_update: string;
  /** Issue types: severity, name, number of pages. */
  issues: [status: "error" | "warning" | "notice" | "passed", name: string, value: number][];
}

/** A project at SE Ranking. */
export interface SimulatedSite {
  id: number;
  title: string;
  name: string;
  groups: { id: number; name: string }[];
  /** Keywords by search engine of the project. */
  engines: { site_engine_id: number; search_engine_id: number; region_name: string | null; keywords: SimulatedKeyword[] }[];
  /** Tracked language models, with their mentions. */
  models: { id: number; base_name: string; mentions: number; links: number; prompts: number }[];
}

const queryOf = (query: URLSearchParams) =>
  Object.fromEntries([...new Set(query.keys())].map((name) => [name, query.getAll(name)]));
const said = ({ problems }: { problems: readonly { where: string; at: string; kind: string; detail: string }[] }) =>
  problems.map(({ where, at, kind, detail }) => `${where} ${at} ${kind}: ${detail}`);

/** The path of engine names is the operator's, and no description has it. */
const ENGINES = "/v1/project-management/system/search-engines";

const described: Described = {
  wrongInRequest({ method, path, query }) {
    if (path === ENGINES) return [];
    return said(checkRequest({ provider: "seranking", method, path, query: queryOf(query) }));
  },
  wrongInReply({ method, path }, { status, body }) {
    if (path === ENGINES) return [];
    const sent = JSON.parse(JSON.stringify(body ?? null));
    return said(checkResponse({ provider: "seranking", method, path, status, body: sent }));
  },
};

/** Requests per second that one key can make. */
export const PER_SECOND = 5;
const refused = (status: number, message: string): Reply => ({ status, body: { message } });

/** SE Ranking, as far as this service calls it: keys, projects and their data, and its limit per second, whose refusal names no time. */
export class SerankingSimulator extends Simulator {
  readonly keys = new Set<string>();
  readonly sites: SimulatedSite[] = [];
  readonly audits: SimulatedAudit[] = [];
  /** Names of search engines by id; null: the path returns 404. */
  engineNames: Record<number, string> | null = null;
  /** Positions omit the keywords' names. */
  leavesOutNames = false;
  readonly #times = new Map<string, number[]>();
  protected override readonly described = described;

  get environment(): Record<string, string> {
    return { SERVICE_SERANKING_API_URL: `${this.origin}/v1` };
  }

  /** Requests, oldest first, without a key. */
  asked(): string[] {
    return this.received.map(({ path, query }) => `${path.slice("/v1".length)}${query.size === 0 ? "" : `?${query}`}`);
  }

  override reset(): void {
    super.reset();
    this.#times.clear();
  }

  protected override misunderstood(_request: Received, message: string): Reply {
    return refused(400, message);
  }

  protected answer({ path, query, headers }: Received): Reply {
    const [, key = ""] = /^Token (\S+)$/.exec(headers.authorization ?? "") ?? [];
    if (query.has("apikey")) throw new Misunderstood("a key has no business in the address");
    if (!this.keys.has(key)) return refused(403, "No token given");
    if (this.#isTooSoon(key)) return refused(429, "Too many requests");
    if (path === ENGINES) return this.#engineNames();
    const below = path.slice("/v1/".length);
    if (below === "project-management/sites") return { status: 200, body: this.sites.map((site) => this.#listed(site)) };
    if (below === "site-audit/audits") return this.#auditList();
    if (below === "site-audit/audits/report") return this.#auditReport(Number(query.get("audit_id")));
    const site = this.sites.find(({ id }) => id === Number(query.get("site_id")));
    if (!site) return refused(404, "Site not found");
    switch (below) {
      case "project-management/sites/positions":
        return this.#positions(site, query);
      case "project-management/sites/search-engines":
        return {
          status: 200,
          body: site.engines.map(({ keywords, ...engine }) => ({ ...engine, keyword_count: keywords.length })),
        };
      case "project-management/keywords":
        return {
          status: 200,
          body: site.engines.flatMap(({ keywords }) =>
            keywords.map(({ id, name, group_id }) => ({ id, name, group_id: String(group_id) })),
          ),
        };
      case "project-management/keywords/groups":
        return { status: 200, body: site.groups };
      case "project-management/airt/llm":
        return { status: 200, body: site.models.map(({ id, base_name }) => ({ id, base_name })) };
      case "project-management/airt/llm/statistics":
        return this.#statistics(site, Number(query.get("llm_id")));
      default:
        throw new Misunderstood(`nobody serves ${path}`);
    }
  }

  #isTooSoon(key: string): boolean {
    const now = performance.now();
    const times = (this.#times.get(key) ?? []).filter((time) => now - time < 1000);
    const isTooSoon = times.length >= PER_SECOND;
    if (!isTooSoon) times.push(now);
    this.#times.set(key, times);
    return isTooSoon;
  }

  #listed({ id, title, name, engines }: SimulatedSite) {
    const keyword_count = new Set(engines.flatMap(({ keywords }) => keywords.map((keyword) => keyword.id))).size;
    return { id, title, name, is_active: 1, keyword_count };
  }

  #engineNames(): Reply {
    if (!this.engineNames) return refused(404, "Not found");
    return { status: 200, body: Object.entries(this.engineNames).map(([id, name]) => ({ id: Number(id), name })) };
  }

  #positions({ engines }: SimulatedSite, query: URLSearchParams): Reply {
    const [from, to] = [query.get("date_from") ?? "", query.get("date_to") ?? "9999-12-31"];
    const body = engines.map(({ site_engine_id, keywords }) => ({
      site_engine_id,
      keywords: keywords.map(({ id, name, group_id, volume, positions, pages = [] }) => ({
        id,
        ...(!this.leavesOutNames && { name }),
        group_id,
        volume,
        positions: Object.entries(positions)
          .filter(([date]) => from <= date && date <= to)
          .map(([date, pos]) => ({ date, pos, change: 0 })),
        ...(query.get("with_landing_pages") === "1" && { landing_pages: pages.map((url) => ({ url })) }),
      })),
    }));
    return { status: 200, body };
  }

  #auditList(): Reply {
    const items = this.audits.map(({ issues: _, ...audit }) => audit);
    return { status: 200, body: { items, total: items.length } };
  }

  #auditReport(id: number): Reply {
    const audit = this.audits.find((one) => one.id === id);
    if (!audit) return refused(404, "Audit not found");
    const props = Object.fromEntries(
      audit.issues.map(([status, name, value], index) => [`check_${index}`, { code: `check_${index}`, status, name, value }]),
    );
    const sections = [{ uid: "all", name: "All", props }];
    return { status: 200, body: { is_finished: audit.status === "finished", sections } };
  }

  #statistics({ models }: SimulatedSite, id: number): Reply {
    const model = models.find((one) => one.id === id);
    if (!model) return refused(404, "Engine not found");
    const { mentions, links, prompts } = model;
    const presence = { mention_percent_in_top: mentions, link_percent_in_top: links };
    return { status: 200, body: { presence, stats: { prompts_count: prompts } } };
  }
}
