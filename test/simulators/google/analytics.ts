import { eachDay } from "../../../core/calendar/calendar.ts";
import { SCOPE } from "../../../mixins/google/scopes.ts";
import { Misunderstood, type Reply } from "../simulator.ts";
import type { GoogleApiPart, GoogleRequest, GoogleSimulator } from "./google.ts";
import type { GooglePersonRecord } from "./grants.ts";
import { apiError } from "./replies.ts";

/** One session of a visitor. Omitted fields default to a plain direct visit. */
export interface Visit {
  user: string;
  isNew?: boolean;
  isEngaged?: boolean;
  /** Seconds of engagement. */
  seconds?: number;
  channel?: string;
  source?: string;
  device?: string;
  /** Paths of viewed pages. */
  pages?: readonly string[];
  /** Counts by event name. */
  keyEvents?: Readonly<Record<string, number>>;
  revenue?: number;
}

/** A property and its visits. */
export class SimulatedProperty {
  readonly readers = new Set<string>();
  /** The visits of a day, `YYYY-MM-DD`. */
  visits: (day: string) => readonly Visit[] = () => [];
  currency = "EUR";
  /** Tokens left today, and the cost of a report. */
  tokens = 200_000;
  cost = 10;
  readonly id: string;
  readonly name: string;
  readonly account: string;
  readonly type: string;

  constructor(id: string, name: string, account: string, type: string) {
    this.id = id;
    this.name = name;
    this.account = account;
    this.type = type;
  }

  /** Visitors between two days, each counted once. */
  users(from: string, to: string): number {
    return new Set(eachDay(from, to).flatMap((day) => this.visits(day).map(({ user }) => user))).size;
  }
}

export class AnalyticsState {
  readonly properties = new Map<string, SimulatedProperty>();
  /** Page size of account summaries. */
  pageSize = 200;
  #next = 1000;

  /** Creates a property that a person can read. */
  property(
    name: string,
    { person, account = "Agency", type = "PROPERTY_TYPE_ORDINARY" }: PropertyOptions = {},
  ): SimulatedProperty {
    const property = new SimulatedProperty(`properties/${++this.#next}`, name, account, type);
    if (person) property.readers.add(person.subject);
    this.properties.set(property.id, property);
    return property;
  }

  clear(): void {
    this.properties.clear();
    this.pageSize = 200;
  }
}

interface PropertyOptions {
  person?: GooglePersonRecord;
  account?: string;
  type?: string;
}

/** One event with the values of its dimensions. */
interface Happening {
  day: string;
  range: string;
  visit: Visit;
  page?: string;
  event?: { name: string; times: number };
}

const DIMENSIONS: Readonly<Record<string, (one: Happening) => string>> = {
  date: ({ day }) => day.replaceAll("-", ""),
  dateRange: ({ range }) => range,
  deviceCategory: ({ visit }) => visit.device ?? "desktop",
  eventName: ({ event }) => event?.name ?? "session_start",
  pagePath: ({ page }) => page ?? "(not set)",
  sessionDefaultChannelGroup: ({ visit }) => visit.channel ?? "Direct",
  sessionSource: ({ visit }) => visit.source ?? "(direct)",
};

const sum = (all: readonly Happening[], value: (one: Happening) => number): number =>
  all.reduce((total, one) => total + value(one), 0);
const visitsIn = (all: readonly Happening[]): Visit[] => [...new Set(all.map(({ visit }) => visit))];
const keyEventsOf = (visit: Visit): number => Object.values(visit.keyEvents ?? {}).reduce((total, times) => total + times, 0);

/** Metrics over events, as text. */
const METRICS: Readonly<Record<string, { type: string; of: (all: readonly Happening[]) => number }>> = {
  engagementRate: {
    type: "TYPE_FLOAT",
    of: (all) => visitsIn(all).filter(({ isEngaged }) => isEngaged).length / Math.max(1, visitsIn(all).length),
  },
  keyEvents: {
    type: "TYPE_FLOAT",
    of: (all) =>
      all.some(({ event }) => event)
        ? sum(all, ({ event }) => event?.times ?? 0)
        : visitsIn(all).reduce((total, visit) => total + keyEventsOf(visit), 0),
  },
  newUsers: { type: "TYPE_INTEGER", of: (all) => visitsIn(all).filter(({ isNew }) => isNew).length },
  screenPageViews: {
    type: "TYPE_INTEGER",
    of: (all) =>
      all.some(({ page }) => page) ? all.length : visitsIn(all).reduce((total, { pages = [] }) => total + pages.length, 0),
  },
  sessions: { type: "TYPE_INTEGER", of: (all) => visitsIn(all).length },
  totalRevenue: {
    type: "TYPE_CURRENCY",
    of: (all) =>
      Number(
        visitsIn(all)
          .reduce((total, { revenue = 0 }) => total + revenue, 0)
          .toFixed(6),
      ),
  },
  totalUsers: { type: "TYPE_INTEGER", of: (all) => new Set(all.map(({ visit }) => visit.user)).size },
  userEngagementDuration: {
    type: "TYPE_SECONDS",
    of: (all) => visitsIn(all).reduce((total, { seconds = 0 }) => total + seconds, 0),
  },
};

interface RunReport {
  dateRanges?: { startDate: string; endDate: string; name?: string }[];
  dimensions?: { name: string }[];
  metrics?: { name: string }[];
  limit?: string;
  orderBys?: { metric?: { metricName: string }; desc?: boolean }[];
  dimensionFilter?: { filter?: { fieldName: string; stringFilter?: { matchType?: string; value: string } } };
  returnPropertyQuota?: boolean;
}

/** @throws Misunderstood for a request the provider does not know or our specification forbids */
function understood({ dateRanges = [], dimensions = [], metrics = [], limit, returnPropertyQuota }: RunReport): void {
  if (dateRanges.length < 1 || dateRanges.length > 4) throw new Misunderstood("a report takes one to four date ranges");
  for (const { startDate, endDate } of dateRanges)
    if (!/^\d{4}-\d\d-\d\d$/.test(startDate) || !/^\d{4}-\d\d-\d\d$/.test(endDate) || startDate > endDate)
      throw new Misunderstood(`no date range: ${startDate}..${endDate}`);
  for (const { name } of dimensions) if (!DIMENSIONS[name]) throw new Misunderstood(`unknown dimension '${name}'`);
  for (const { name } of metrics) if (!METRICS[name]) throw new Misunderstood(`unknown metric '${name}'`);
  if (metrics.length < 1 || metrics.length > 10) throw new Misunderstood("a report takes one to ten metrics");
  if (limit !== undefined && !(Number(limit) > 0 && Number(limit) <= 250_000)) throw new Misunderstood(`no limit: ${limit}`);
  if (returnPropertyQuota !== true) throw new Misunderstood("returnPropertyQuota is missing (marketing-ads §2.9)");
}

/** Events in the ranges, one per page or event name if those are requested. */
function happenings(property: SimulatedProperty, { dateRanges = [] }: RunReport, names: readonly string[]): Happening[] {
  return dateRanges.flatMap(({ startDate, endDate, name }, index) =>
    eachDay(startDate, endDate).flatMap((day) =>
      property.visits(day).flatMap((visit): Happening[] => {
        const one = { day, range: name ?? `date_range_${index}`, visit };
        if (names.includes("pagePath")) return (visit.pages ?? []).map((page) => ({ ...one, page }));
        if (names.includes("eventName"))
          return [
            { ...one, event: { name: "session_start", times: 0 } },
            ...Object.entries(visit.keyEvents ?? {}).map(([event, times]) => ({ ...one, event: { name: event, times } })),
          ];
        return [one];
      }),
    ),
  );
}

/** Analytics data, as far as this service calls it, computed from the visits. */
class DataPart implements GoogleApiPart {
  readonly scopes = [SCOPE.analytics];
  readonly #state: AnalyticsState;

  constructor(state: AnalyticsState) {
    this.#state = state;
  }

  answer({ method, parts, json, person }: GoogleRequest): Reply | null {
    const [id, verb] = (parts[1] ?? "").split(":");
    if (method !== "POST" || parts[0] !== "properties" || verb !== "runReport") return null;
    const asked = json as RunReport;
    understood(asked);
    const property = this.#state.properties.get(`properties/${id}`);
    if (!property?.readers.has(person.subject))
      return apiError(403, "forbidden", { message: "User does not have sufficient permissions for this property." });
    if (property.tokens <= 0)
      return apiError(429, "rateLimitExceeded", {
        message: "Exhausted property tokens per day. These quota tokens will return in under 24 hours.",
      });
    property.tokens = Math.max(0, property.tokens - property.cost);
    return { status: 200, body: this.#report(property, asked) };
  }

  #report(property: SimulatedProperty, asked: RunReport): object {
    const { dimensions = [], metrics = [], dateRanges = [], dimensionFilter, orderBys = [], limit = "10000" } = asked;
    const names = [...dimensions.map(({ name }) => name), ...(dateRanges.length > 1 ? ["dateRange"] : [])];
    const only = dimensionFilter?.filter;
    const kept = happenings(property, asked, names).filter(
      (one) => !only || DIMENSIONS[only.fieldName]?.(one) === only.stringFilter?.value,
    );
    const groups = new Map<string, { values: string[]; all: Happening[] }>();
    for (const one of kept) {
      const values = names.map((name) => DIMENSIONS[name]?.(one) ?? "");
      const key = JSON.stringify(values);
      const group = groups.get(key) ?? { values, all: [] };
      group.all.push(one);
      groups.set(key, group);
    }
    const rows = [...groups.values()].map(({ values, all }) => ({
      values,
      metrics: metrics.map(({ name }) => METRICS[name]?.of(all) ?? 0),
    }));
    const at = metrics.findIndex(({ name }) => name === orderBys[0]?.metric?.metricName);
    if (at >= 0) rows.sort((one, other) => (other.metrics[at] ?? 0) - (one.metrics[at] ?? 0));
    return {
      kind: "analyticsData#runReport",
      ...(names.length > 0 && { dimensionHeaders: names.map((name) => ({ name })) }),
      metricHeaders: metrics.map(({ name }) => ({ name, type: METRICS[name]?.type })),
      ...(rows.length > 0 && {
        rows: rows.slice(0, Number(limit)).map(({ values, metrics: figures }) => ({
          ...(values.length > 0 && { dimensionValues: values.map((value) => ({ value })) }),
          metricValues: figures.map((value) => ({ value: String(value) })),
        })),
        rowCount: rows.length,
      }),
      metadata: { currencyCode: property.currency, timeZone: "Europe/Amsterdam" },
      propertyQuota: { tokensPerDay: { consumed: property.cost, remaining: property.tokens } },
    };
  }
}

/** The paginated list of accounts. */
class AdminPart implements GoogleApiPart {
  readonly scopes = [SCOPE.analytics];
  readonly #state: AnalyticsState;

  constructor(state: AnalyticsState) {
    this.#state = state;
  }

  answer({ method, parts, query, person }: GoogleRequest): Reply | null {
    if (method !== "GET" || parts[0] !== "accountSummaries" || parts.length > 1) return null;
    const seen = [...this.#state.properties.values()].filter(({ readers }) => readers.has(person.subject));
    const accounts = [...new Set(seen.map(({ account }) => account))];
    const from = Number((query.get("pageToken") ?? "page-0").replace("page-", ""));
    const size = Math.min(this.#state.pageSize, Number(query.get("pageSize") ?? 50));
    const page = accounts.slice(from, from + size).map((account) => {
      const number = 500 + accounts.indexOf(account);
      return {
        name: `accountSummaries/${number}`,
        account: `accounts/${number}`,
        displayName: account,
        propertySummaries: seen
          .filter((property) => property.account === account)
          .map(({ id, name, type }) => ({ property: id, displayName: name, propertyType: type })),
      };
    });
    const body = {
      ...(page.length > 0 && { accountSummaries: page }),
      ...(from + size < accounts.length && { nextPageToken: `page-${from + size}` }),
    };
    return { status: 200, body };
  }
}

/** Adds Google Analytics to a simulated Google. @returns its properties */
export function serveAnalytics(google: GoogleSimulator): AnalyticsState {
  const state = new AnalyticsState();
  google.serve("analyticsdata", new DataPart(state), () => state.clear());
  google.serve("analyticsadmin", new AdminPart(state));
  return state;
}
