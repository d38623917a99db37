import { expect } from "chai";
import {
  keyEventsShown,
  type Layout,
  shownOf,
  withKeyEvents,
  withoutHidden,
} from "../../../integrations/marketing/settings/layout.ts";
import { readLayout } from "../../../integrations/marketing/settings/layout-input.ts";
import { sources } from "../../../integrations/marketing/sources/registry.ts";

const source = (key: string) => sources.get(key)!;
const all = [...sources.values()];
const GA4 = ["sessions", "totalUsers", "newUsers", "keyEvents", "conversions", "engagementRate", "totalRevenue"];
const ga4 = (entry: Record<string, unknown>) => ({ sources: { ga4: entry } });
const shown = (entry: Record<string, unknown>, show_key_events = true) =>
  shownOf(source("ga4"), { layout: ga4(entry) as Layout, show_key_events });

describe("a source's view of a client (marketing-ads §2.5)", () => {
  it("is everything without a layout", () => {
    const { tiles, drilldowns, hidden, chart_metric } = shownOf(source("ga4"), { layout: null, show_key_events: true });
    expect(tiles).to.deep.equal(GA4);
    expect(drilldowns).to.include("key_events").and.to.have.length(7);
    expect([hidden, chart_metric]).to.deep.equal([false, "sessions"]);
  });

  it("is without keyEvents, conversions and the kind key_events when key events are off", () => {
    const { tiles, drilldowns } = shownOf(source("ga4"), { layout: null, show_key_events: false });
    expect(tiles).to.deep.equal(["sessions", "totalUsers", "newUsers", "engagementRate", "totalRevenue"]);
    expect(drilldowns).not.to.include("key_events");
  });

  it("leaves the conversions of advertising alone when key events are off", () =>
    expect(shownOf(source("gads"), { layout: null, show_key_events: false }).tiles).to.include("conversions"));

  it("is exactly the curated tiles, in their order, regardless of the switch", () => {
    expect(shown({ tiles: ["totalRevenue", "keyEvents"] }, false).tiles).to.deep.equal(["totalRevenue", "keyEvents"]);
    expect(shown({ tiles: ["newUsers"] }).tiles).to.deep.equal(["newUsers"]);
  });

  it("has the kind key_events only while the keyEvents tile is visible", () => {
    expect(shown({ tiles: ["sessions", "conversions"], drilldowns: ["key_events", "devices"] }).drilldowns).to.deep.equal([
      "devices",
    ]);
    expect(shown({ tiles: ["keyEvents"], drilldowns: ["key_events"] }, false).drilldowns).to.deep.equal(["key_events"]);
    expect(shown({ drilldowns: [] }).drilldowns).to.deep.equal([]);
  });

  for (const [what, entry, metric] of [
    ["the chart metric if visible", { chart_metric: "newUsers" }, "newUsers"],
    ["else the source's primary", { chart_metric: "newUsers", tiles: ["totalRevenue", "sessions"] }, "sessions"],
    ["else the first tile", { chart_metric: "newUsers", tiles: ["totalRevenue", "totalUsers"] }, "totalRevenue"],
    ["none without tiles", { tiles: [] }, ""],
  ] as const)
    it(`draws ${what}`, () => expect(shown(entry as unknown as Record<string, unknown>).chart_metric).to.equal(metric));

  it("forgets stored names that the source no longer has", () =>
    expect(shown({ tiles: ["sessions", "bounceRate"], drilldowns: ["devices", "pages"] })).to.deep.include({
      tiles: ["sessions"],
      drilldowns: ["devices"],
    }));
});

describe("the switch of key events on curated tiles (marketing-ads §2.5)", () => {
  const curated = { tiles: ["totalRevenue", "sessions"], drilldowns: ["devices", "key_events"] };

  it("adds both metrics and puts the tiles in the order of the source", () => {
    const layout = withKeyEvents(all, ga4(curated) as Layout, true);
    expect(layout?.sources["ga4"]?.tiles).to.deep.equal(["sessions", "keyEvents", "conversions", "totalRevenue"]);
    expect(keyEventsShown(all, { layout, show_key_events: false })).to.equal(true);
  });

  it("removes both and the kind key_events", () => {
    const before = ga4({ ...curated, tiles: ["conversions", "totalRevenue", "keyEvents"] }) as Layout;
    const layout = withKeyEvents(all, before, false);
    expect(layout?.sources["ga4"]).to.deep.equal({ tiles: ["totalRevenue"], drilldowns: ["devices"] });
    expect(keyEventsShown(all, { layout, show_key_events: true })).to.equal(false);
    expect(before.sources["ga4"]?.tiles).to.have.length(3);
  });

  it("changes nothing where tiles are not curated", () => {
    const layout = { sources: { gsc: { tiles: ["clicks"] }, ga4: { hidden: true } } };
    expect(withKeyEvents(all, layout, false)).to.deep.equal(layout);
    expect(withKeyEvents(all, null, true)).to.equal(null);
    expect(keyEventsShown(all, { layout, show_key_events: false })).to.equal(false);
  });
});

describe("a layout as it is sent (marketing-ads §2.5)", () => {
  const read = (value: unknown) => readLayout(sources, value as Record<string, unknown> | null);
  const label = (text: string) => ga4({ labels: { sessions: { nl: text } } });
  const events = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`event ${at}`, { en: "An event" }]));

  for (const [what, value] of [
    ["an unknown source", { sources: { bing: {} } }],
    ["a source that objects inherit", { sources: JSON.parse('{"__proto__": {}}') }],
    ["an unknown metric among tiles", ga4({ tiles: ["clicks"] })],
    ["a metric that objects inherit", ga4({ tiles: ["constructor"] })],
    ["the same tile twice", ga4({ tiles: ["sessions", "sessions"] })],
    ["an unknown metric among labels", ga4({ labels: { clicks: { nl: "Kliks" } } })],
    ["an unknown kind", ga4({ drilldowns: ["movers"] })],
    ["an unknown chart metric", ga4({ chart_metric: "clicks" })],
    ["a locale that is neither nl nor en", ga4({ labels: { sessions: { de: "Sitzungen" } } })],
    ["a label of 81 characters", label("x".repeat(81))],
    ["a label of two lines", label("a\nb")],
    ["event labels of another source", { sources: { gsc: { event_labels: {} } } }],
    ["51 events", ga4({ event_labels: events(51) })],
    ["an event without a name", ga4({ event_labels: { "": { nl: "Niets" } } })],
    ["an event name of 101 characters", ga4({ event_labels: { ["e".repeat(101)]: { nl: "Lang" } } })],
    ["a label of an event of 81 characters", ga4({ event_labels: { lead: { nl: "x".repeat(81) } } })],
    ["any kind of rankmath", { sources: { rankmath: { drilldowns: ["competitors"] } } }],
    ["an unknown part", ga4({ colour: "red" })],
    ["an unknown part of the layout", { sources: {}, columns: 3 }],
    ["sources that are a list", { sources: [] }],
    ["tiles that are a text", ga4({ tiles: "sessions" })],
    ["hidden that is a text", ga4({ hidden: "yes" })],
    ["an entry that is null", { sources: { ga4: null } }],
  ] as [string, unknown][])
    it(`is refused with ${what}`, () =>
      expect(() => read(value))
        .to.throw()
        .with.nested.property("data.fields")
        .deep.equal({ layout: "errors.validation" }));

  it("is accepted at its limits", () => {
    const value = ga4({
      tiles: ["newUsers", "sessions"],
      labels: { sessions: { nl: "é".repeat(80), en: "Visits" } },
      drilldowns: ["devices"],
      chart_metric: "keyEvents",
      event_labels: { ...events(49), ["e".repeat(100)]: { en: "Long" } },
      hidden: true,
    });
    expect(read(value)).to.deep.equal(value);
    expect(read({ sources: { rankmath: { drilldowns: [], hidden: true } } })).to.deep.equal({
      sources: { rankmath: { drilldowns: [], hidden: true } },
    });
  });

  it("is null when it is cleared", () => {
    for (const value of [null, {}, { sources: {} }]) expect(read(value)).to.equal(null);
  });

  it("is stored without blank and null values", () =>
    expect(read(ga4({ tiles: null, labels: { sessions: { nl: " ", en: "Visits" }, newUsers: { nl: "" } } }))).to.deep.equal(
      ga4({ labels: { sessions: { en: "Visits" } } }),
    ));
});

describe("a layout for callers who manage no links", () => {
  it("is without hidden sources", () => {
    expect(withoutHidden({ sources: { ga4: { hidden: true }, gsc: { tiles: ["clicks"] } } })).to.deep.equal({
      sources: { gsc: { tiles: ["clicks"] } },
    });
    expect(withoutHidden({ sources: { ga4: { hidden: true } } })).to.equal(null);
  });
});
