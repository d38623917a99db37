import { expect } from "chai";
import { addDays, dateIn, eachDay } from "../../../core/calendar/calendar.ts";
import type { SimulatedProperty, Visit } from "../../simulators/google/analytics.ts";
import type { Search, SimulatedSite } from "../../simulators/google/search-console.ts";
import { type Agency, type MarketingWorld, startMarketing } from "./google-world.ts";

const TODAY = dateIn("Europe/Amsterdam", Date.now());
/** The first day that a backfill reads of each source; the last one is yesterday. */
const FIRST = { ga4: addDays(TODAY, -800), gsc: addDays(TODAY, -480) };
const LAST = addDays(TODAY, -1);
const LAYOUTS = 20;
const SPANS = 50;

/** Numbers from 0 up to `below`, the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
}
const numbersOf = (day: string) => numbers(Number(day.replaceAll("-", "")));

/** Between one and six visits. */
function visitsOf(day: string): Visit[] {
  const next = numbersOf(day);
  return Array.from({ length: 1 + next(6) }, () => ({
    user: `u${next(9)}`,
    isNew: next(3) === 0,
    isEngaged: next(2) === 0,
    pages: ["/", "/a", "/b"].slice(0, 1 + next(3)),
    ...(next(4) === 0 && { keyEvents: { purchase: 1 + next(2) } }),
    revenue: next(400) / 4,
  }));
}

const searchesOf = (day: string): Search[] => {
  const next = numbersOf(day);
  return ["bike", "bakery", "both"].map((query) => ({
    query,
    clicks: next(9),
    impressions: 10 + next(90),
    position: 1 + next(60),
  }));
};

const total = <T>(items: readonly T[], value: (item: T) => number): number => items.reduce((sum, item) => sum + value(item), 0);
const keyEventsOf = (visits: readonly Visit[]) =>
  total(visits, ({ keyEvents = {} }) => total(Object.values(keyEvents), (times) => times));

/** What a source shows of the rows of a span, worked out without its adapters. */
const SHOWN = {
  ga4: {
    sessions: (days: string[]) => days.flatMap(visitsOf).length,
    newUsers: (days: string[]) => days.flatMap(visitsOf).filter(({ isNew }) => isNew).length,
    keyEvents: (days: string[]) => keyEventsOf(days.flatMap(visitsOf)),
    conversions: (days: string[]) => keyEventsOf(days.flatMap(visitsOf)),
    totalRevenue: (days: string[]) => total(days.flatMap(visitsOf), ({ revenue = 0 }) => revenue),
    engagementRate: (days: string[]) => {
      const visits = days.flatMap(visitsOf);
      return visits.filter(({ isEngaged }) => isEngaged).length / Math.max(1, visits.length);
    },
  },
  gsc: {
    clicks: (days: string[]) => total(days.flatMap(searchesOf), ({ clicks }) => clicks),
    impressions: (days: string[]) => total(days.flatMap(searchesOf), ({ impressions }) => impressions),
    ctr: (days: string[]) => {
      const searches = days.flatMap(searchesOf);
      return (
        total(searches, ({ clicks }) => clicks) /
        Math.max(
          1,
          total(searches, ({ impressions }) => impressions),
        )
      );
    },
    position: (days: string[]) => {
      const searches = days.flatMap(searchesOf);
      const weighted = total(searches, ({ position, impressions }) => position * impressions);
      return (
        weighted /
        Math.max(
          1,
          total(searches, ({ impressions }) => impressions),
        )
      );
    },
  },
} as const satisfies Record<string, Record<string, (days: string[]) => number>>;
type Source = keyof typeof SHOWN;

/** The days of a span up to yesterday. */
const daysOf = (from: string, to: string): string[] => (from <= LAST ? eachDay(from, to > LAST ? LAST : to) : []);

describe("figures of random spans and layouts (marketing-ads §2.6)", function () {
  this.timeout(300_000);
  let world: MarketingWorld;
  let agency: Agency;
  before(async () => {
    world = await startMarketing();
    agency = await world.agency();
    const property: SimulatedProperty = world.analytics.property("Shop", { person: agency.person });
    property.visits = visitsOf;
    const site: SimulatedSite = world.search.site("sc-domain:shop.example", agency.person);
    site.searches = searchesOf;
    await world.link(agency, { source: "ga4", external_id: property.id });
    await world.link(agency, { source: "gsc", external_id: site.address });
  });
  after(() => world.stop());

  const metrics = async (query: string) => {
    const { status, text, body } = await agency.owner.get(`/marketing/companies/${agency.company}/metrics?${query}`);
    expect(status, text).to.equal(200);
    return body;
  };
  const settings = async (body: object) => {
    const { status, text } = await agency.owner.put(`/marketing/companies/${agency.company}/settings`, body);
    expect(status, text).to.equal(200);
  };

  it("equal the sum over the rows of the source, for a thousand of them", async () => {
    const next = numbers(7);
    const some = <T>(items: readonly T[]): T[] => {
      const chosen = items.filter(() => next(2) === 0);
      return chosen.length > 0 ? chosen : [items[next(items.length)] as T];
    };
    const months = Array.from({ length: 11 }, (_, back) => addDays(TODAY, -40 - 30 * back).slice(0, 7));
    /** Search Console has no day that is still to come in California, so its spans ended some days ago. */
    const spanFor = (source: Source): string => {
      if (source === "gsc" || next(2) === 0) return `period=${months[next(months.length)]}`;
      return next(2) === 0 ? `range_days=${1 + next(400)}` : `period=${1 + next(400)}d`;
    };
    let checked = 0;
    for (let layout = 0; layout < LAYOUTS; layout++) {
      const tiles = { ga4: some(Object.keys(SHOWN.ga4)), gsc: some(Object.keys(SHOWN.gsc)) };
      await settings({
        layout: { sources: { ga4: { tiles: tiles.ga4 }, gsc: { tiles: tiles.gsc } } },
        compare: next(2) === 0 ? "previous" : "year",
      });
      for (let n = 0; n < SPANS; n++) {
        const source = (["ga4", "gsc"] as const)[next(2)] as Source;
        const query = spanFor(source);
        const { compare, sources } = await metrics(query);
        const { kpis } = sources.find((one: { source: string }) => one.source === source);
        expect(Object.keys(kpis), query).to.have.members(tiles[source]);
        const shown: Record<string, (days: string[]) => number> = SHOWN[source];
        for (const name of tiles[source]) {
          const of = shown[name] as (days: string[]) => number;
          const current = of(daysOf(compare.current_start, compare.current_end));
          const previous = compare.start < FIRST[source] ? 0 : of(daysOf(compare.start, compare.end));
          const what = `${source} ${name} of ${query}, compared with ${compare.mode}`;
          expect(kpis[name].current, what).to.be.closeTo(current, 0.00006);
          expect(kpis[name].previous, what).to.be.closeTo(previous, 0.00006);
          checked += 1;
        }
      }
    }
    expect(checked).to.be.greaterThan(LAYOUTS * SPANS);
  });

  it("are the same with every source switched off, as are those over all clients", async () => {
    await settings({ layout: { sources: {} }, compare: "year" });
    const paths = [
      `/marketing/companies/${agency.company}/metrics?period=90d`,
      "/marketing/overview?period=90d",
      "/marketing/summary",
      "/marketing/clients",
      `/marketing/links?company_id=${agency.company}`,
    ];
    const answers = async () => {
      const all = [];
      for (const path of paths) all.push((await agency.owner.get(path)).text);
      return all;
    };
    // The people of a span are read once, on demand.
    await answers();
    await world.settle();
    const before = await answers();
    world.google.failWhen(() => true, { kind: "drop" });
    world.google.received.length = 0;
    expect(await answers()).to.deep.equal(before);
    expect(world.google.received).to.deep.equal([]);
  });
});
