import { eachDay } from "../../../core/calendar/calendar.ts";
import { SCOPE } from "../../../mixins/google/scopes.ts";
import { Misunderstood, type Reply } from "../simulator.ts";
import type { GoogleApiPart, GoogleRequest, GoogleSimulator } from "./google.ts";
import type { GooglePersonRecord } from "./grants.ts";
import { apiError } from "./replies.ts";

/** Figures of a query for one page on one day. */
export interface Search {
  query: string;
  page?: string;
  clicks: number;
  impressions: number;
  position: number;
}

export type SitePermission = "siteOwner" | "siteFullUser" | "siteRestrictedUser" | "siteUnverifiedUser";

/** A site of Search Console. */
export class SimulatedSite {
  /** Permission by the person's subject. */
  readonly users = new Map<string, SitePermission>();
  /** The searches of a day in Pacific time. */
  searches: (day: string) => readonly Search[] = () => [];
  /** The last day with figures; later ones are not available yet. */
  lastDay = "9999-12-31";
  readonly address: string;

  constructor(address: string) {
    this.address = address;
  }
}

export class SearchConsoleState {
  readonly sites = new Map<string, SimulatedSite>();

  /** @param address `sc-domain:host` or an address with a trailing slash */
  site(address: string, person?: GooglePersonRecord, permission: SitePermission = "siteOwner"): SimulatedSite {
    const site = new SimulatedSite(address);
    if (person) site.users.set(person.subject, permission);
    this.sites.set(address, site);
    return site;
  }

  clear(): void {
    this.sites.clear();
  }
}

interface Query {
  startDate: string;
  endDate: string;
  dimensions?: string[];
  rowLimit?: number;
}

interface Row {
  keys: string[];
  clicks: number;
  impressions: number;
  ctr: number;
  position: number;
}

const DAY = /^\d{4}-\d\d-\d\d$/;
const VALUE: Readonly<Record<string, (search: Search, day: string) => string>> = {
  date: (_search, day) => day,
  query: ({ query }) => query,
  page: ({ page = "https://shop.example/" }) => page,
};

/** Search Console, as far as this service calls it. */
class SearchConsolePart implements GoogleApiPart {
  readonly scopes = [SCOPE.searchConsole];
  readonly #state: SearchConsoleState;

  constructor(state: SearchConsoleState) {
    this.#state = state;
  }

  answer({ method, parts, json, person }: GoogleRequest): Reply | null {
    const [sites, address, ...verb] = parts;
    if (sites !== "sites") return null;
    if (method === "GET" && address === undefined) {
      const seen = [...this.#state.sites.values()].flatMap(({ address: siteUrl, users }) => {
        const permissionLevel = users.get(person.subject);
        return permissionLevel === undefined ? [] : [{ siteUrl, permissionLevel }];
      });
      return { status: 200, body: seen.length === 0 ? {} : { siteEntry: seen } };
    }
    if (method !== "POST" || verb.join("/") !== "searchAnalytics/query") return null;
    const site = this.#state.sites.get(address as string);
    const permission = site?.users.get(person.subject);
    if (!site || permission === undefined || permission === "siteUnverifiedUser")
      return apiError(403, "forbidden", { message: `User does not have sufficient permission for site '${address}'.` });
    return { status: 200, body: this.#found(site, json as Query) };
  }

  #found(site: SimulatedSite, { startDate, endDate, dimensions = [], rowLimit = 1000 }: Query): object {
    if (!DAY.test(startDate) || !DAY.test(endDate) || startDate > endDate)
      throw new Misunderstood(`no span: ${startDate}..${endDate}`);
    const [dimension = "", another] = dimensions.map((name) => name.toLowerCase());
    const value = VALUE[dimension];
    if (!value || another !== undefined) throw new Misunderstood(`dimensions ${dimensions.join()}`);
    if (!Number.isInteger(rowLimit) || rowLimit < 1 || rowLimit > 25_000) throw new Misunderstood(`rowLimit ${rowLimit}`);
    const until = endDate < site.lastDay ? endDate : site.lastDay;
    const groups = new Map<string, Search[]>();
    for (const day of startDate <= until ? eachDay(startDate, until) : [])
      for (const search of site.searches(day)) {
        const key = value(search, day);
        groups.set(key, [...(groups.get(key) ?? []), search]);
      }
    const rows = [...groups].map(([key, searches]): Row => {
      const clicks = searches.reduce((total, one) => total + one.clicks, 0);
      const impressions = searches.reduce((total, one) => total + one.impressions, 0);
      const weighted = searches.reduce((total, one) => total + one.position * one.impressions, 0);
      return {
        keys: [key],
        clicks,
        impressions,
        ctr: clicks / Math.max(1, impressions),
        position: weighted / Math.max(1, impressions),
      };
    });
    if (dimension === "date") rows.sort((one, other) => ((one.keys[0] as string) < (other.keys[0] as string) ? -1 : 1));
    else rows.sort((one, other) => other.clicks - one.clicks || other.impressions - one.impressions);
    const some = rows.slice(0, rowLimit);
    return { ...(some.length > 0 && { rows: some }), responseAggregationType: dimension === "page" ? "byPage" : "byProperty" };
  }
}

/** Adds Search Console to a simulated Google. @returns its sites */
export function serveSearchConsole(google: GoogleSimulator): SearchConsoleState {
  const state = new SearchConsoleState();
  google.serve("searchconsole", new SearchConsolePart(state), () => state.clear());
  return state;
}
