import { expect } from "chai";
import { forgetBreakerStates } from "../../../core/outbound/provider/circuit.ts";
import type { SimulatedKeyword, SimulatedSite } from "../../simulators/seranking.ts";
import { withDeadline } from "../../support/deadline.ts";
import type { Tenant } from "../../support/service.ts";
import { type LinkedSource, type SourcesWorld, startSources } from "./sources-world.ts";

const keyword = (id: string, name: string, positions: Record<string, number>, more: Partial<SimulatedKeyword> = {}) => ({
  id,
  name,
  group_id: 1,
  volume: 100,
  positions,
  ...more,
});

const project = (id: number, keywords: SimulatedKeyword[], more: Partial<SimulatedSite> = {}): SimulatedSite => ({
  id,
  title: `Project ${id}`,
  name: `https://project${id}.example`,
  groups: [
    { id: 1, name: "Bikes" },
    { id: 2, name: "Autos" },
  ],
  engines: [{ site_engine_id: 10, search_engine_id: 411, region_name: "Nederland", keywords }],
  models: [],
  ...more,
});

/** Days that `period=2026-07` asks for, in every year that tests run in. */
const PERIOD = "period=2026-07";

describe("SE Ranking as a source", () => {
  let world: SourcesWorld;
  let tenant: Tenant;
  let site: SimulatedSite;
  let linked: LinkedSource;
  let counter = 500;

  before(async () => {
    world = await startSources();
  });
  beforeEach(async () => {
    const { seranking, service } = world;
    seranking.reset();
    seranking.audits.length = 0;
    seranking.engineNames = null;
    seranking.leavesOutNames = false;
    forgetBreakerStates();
    tenant = await service.tenant();
    await world.keyed(tenant);
    site = project(++counter, []);
    seranking.sites.push(site);
    linked = await world.link(tenant, "seranking", { external_id: String(site.id) });
  });
  afterEach(() => {
    expect(world.seranking.complaints).to.deep.equal([]);
  });
  after(() => world.stop());

  const track = (...keywords: SimulatedKeyword[]) => {
    (site.engines[0] as SimulatedSite["engines"][number]).keywords = keywords;
  };
  const drill = async (kind: string, query = PERIOD) =>
    (await tenant.owner.get(`/marketing/companies/${linked.companyId}/drilldown?link_id=${linked.id}&kind=${kind}&${query}`))
      .body;
  const days = (from = "2026-07-01", to = "2026-07-31") => world.ask(tenant, linked, "days", from, to);

  describe("days", () => {
    it("count what ranks of all that is tracked, by day; position 0 counts among the tracked alone", async () => {
      track(
        keyword("1", "bike", { "2026-07-01": 2, "2026-07-02": 0 }),
        keyword("2", "tandem", { "2026-07-01": 7, "2026-07-02": 0 }),
        keyword("3", "trike", { "2026-07-01": 30 }),
        keyword("4", "wheel", { "2026-07-01": 0 }),
      );
      expect(await days()).to.deep.equal({
        days: [
          {
            day: "2026-07-01",
            metrics: { avg_position: 13, top3: 1, top10: 2, top30: 3, keywords_ranking: 3, keywords_tracked: 4 },
          },
          // Nothing ranks: there is no position to average.
          { day: "2026-07-02", metrics: { top3: 0, top10: 0, top30: 0, keywords_ranking: 0, keywords_tracked: 2 } },
        ],
      });
    });

    it("round the mean position to two decimals, and take every search engine", async () => {
      track(keyword("1", "bike", { "2026-07-01": 1 }), keyword("2", "tandem", { "2026-07-01": 1 }));
      site.engines.push({
        site_engine_id: 11,
        search_engine_id: 412,
        region_name: null,
        keywords: [keyword("1", "bike", { "2026-07-01": 2 })],
      });
      const { days: found } = await days();
      expect(found[0].metrics).to.include({ avg_position: 1.33, keywords_tracked: 3 });
    });

    it("ask for the days of the span in one call, with the key in a header of its own form", async () => {
      await days("2026-07-03", "2026-07-09");
      expect(world.seranking.asked()).to.deep.equal([
        `/project-management/sites/positions?site_id=${site.id}&date_from=2026-07-03&date_to=2026-07-09`,
      ]);
      expect(world.seranking.received[0]?.headers.authorization).to.match(/^Token key/);
    });
  });

  describe("accounts", () => {
    it("are the projects, with address and number of keywords", async () => {
      track(keyword("1", "bike", {}), keyword("2", "tandem", {}));
      const found = (await world.ask(tenant, linked, "accounts")) as { external_id: string }[];
      expect(found.find(({ external_id }) => external_id === String(site.id))).to.deep.equal({
        external_id: String(site.id),
        display_name: `Project ${site.id}`,
        account_hint: `https://project${site.id}.example`,
        config: { url: `https://project${site.id}.example`, keyword_count: 2 },
      });
    });
  });

  describe("failures", () => {
    it("report a missing key, without a call", async () => {
      const other = await world.service.tenant();
      const link = await world.link(other, "seranking", { external_id: String(site.id) });
      expect(await world.ask(other, link, "days")).to.deep.equal({ failure: "marketing.seranking_not_configured" });
      expect(world.seranking.received).to.have.length(0);
    });

    it("report a refused key", async () => {
      for (const status of [401, 403]) {
        world.seranking.fail({ kind: "reply", status, body: "{}" });
        expect(await days()).to.deep.equal({ failure: "marketing.seranking_key_rejected" });
      }
    });

    for (const [what, fault] of Object.entries({
      "a page of HTML": { kind: "reply", status: 200, body: "<!DOCTYPE html>" },
      "other types": { kind: "reply", status: 200, body: `[{"site_engine_id":1,"keywords":{"a":1}}]` },
      "positions that are words": {
        kind: "reply",
        status: 200,
        body: `[{"site_engine_id":1,"keywords":[{"id":"1","positions":[{"date":"2026-07-01","pos":"high"}]}]}]`,
      },
      "half an answer": { kind: "truncate" },
      "an answer without end": { kind: "flood" },
    } as const))
      it(`report ${what} as an error of the source`, async () => {
        world.seranking.fail(fault, fault);
        expect(await days()).to.deep.equal({ failure: "marketing.accounts_error" });
      });

    it("give the source 40 seconds, and report one that takes longer as an error", async () => {
      world.seranking.fail({ kind: "hang" });
      expect(await withDeadline(40_000, days)).to.deep.equal({ failure: "marketing.accounts_error" });
      expect(world.seranking.received).to.have.length(1);
    });

    it("wait one second, then two, after a 429 that names no time, and then give up", async () => {
      const tooMany = { kind: "reply", status: 429, body: "{}" } as const;
      world.seranking.fail(tooMany, tooMany);
      track(keyword("1", "bike", { "2026-07-01": 2 }));
      expect((await days()).days).to.have.length(1);
      expect(world.seranking.received).to.have.length(3);
      world.seranking.fail(tooMany, tooMany, tooMany);
      expect(await days()).to.deep.equal({ failure: "marketing.accounts_error" });
      expect(world.seranking.received).to.have.length(6);
    }).timeout(20_000);

    it("of one endpoint leave the others alone: a refused look-up is not an unreachable source (S3)", async () => {
      track(keyword("1", "bike", { "2026-07-01": 2 }, { group_id: 2 }));
      world.seranking.failWhen(({ path }) => path.endsWith("/groups"), { kind: "reply", status: 403, body: "{}" });
      expect((await drill("keywords")).rows.map(({ label }: { label: string }) => label)).to.deep.equal(["bike"]);
      const { available, rows } = await drill("keyword_groups");
      expect([available, rows[0].label]).to.deep.equal([true, "2"]);
    });
  });

  describe("its limit of five requests a second", () => {
    /** Seconds from now to the last turn assigned to the calls of `work`, by key: turns are exact, arrivals depend on the machine. */
    const lastTurns = async (work: () => Promise<unknown>): Promise<number[]> => {
      const { sql } = world.service;
      const [{ began }] = (await sql.query("select clock_timestamp()::text as began")).rows;
      await work();
      const { rows } = await sql.query(
        `select extract(epoch from slots[5] - $1::timestamptz)::float8 as after from provider_paces where slots[5] >= $1::timestamptz`,
        [began],
      );
      return rows.map(({ after }) => after);
    };

    it("applies to all callers of one key together", async () => {
      track(keyword("1", "bike", { "2026-07-01": 2 }));
      const turns = await lastTurns(async () => {
        const asked = Array.from({ length: 12 }, (_, index) => days("2026-07-01", `2026-07-${10 + index}`));
        const found = await Promise.all(asked);
        expect(found.every(({ days: all }) => all.length === 1)).to.equal(true);
      });
      expect(turns).to.have.length(1);
      expect(turns[0]).to.be.at.least(2.3);
    }).timeout(20_000);

    it("is one for organisations that share a key", async () => {
      const key = "shared-key-0123456789abcdef";
      const pair = await Promise.all([world.service.tenant(), world.service.tenant()]);
      const links = await Promise.all(
        pair.map(async (one) => {
          await world.keyed(one, key);
          return world.link(one, "seranking", { external_id: String(site.id) });
        }),
      );
      const turns = await lastTurns(() =>
        Promise.all(
          Array.from({ length: 10 }, (_, index) =>
            world.ask(pair[index % 2] as Tenant, links[index % 2] as LinkedSource, "days", "2026-07-01", `2026-07-${10 + index}`),
          ),
        ),
      );
      expect(turns).to.have.length(1);
      expect(turns[0]).to.be.at.least(1.15);
      const buckets = await world.service.sql.query("select bucket from provider_paces");
      expect(JSON.stringify(buckets.rows)).not.to.contain(key);
    }).timeout(20_000);
  });

  describe("drilldown keywords", () => {
    it("shows where each keyword began and ended, by group, then keyword, with how it moved", async () => {
      track(
        keyword("1", "tandem", { "2026-07-01": 9, "2026-07-15": 1, "2026-07-31": 4 }),
        keyword("2", "bike", { "2026-07-01": 3, "2026-07-31": 8 }, { pages: ["https://a.example/old", "https://a.example/new"] }),
        keyword("3", "van", { "2026-07-01": 0, "2026-07-31": 5 }, { group_id: 2 }),
        keyword("4", "car", { "2026-07-01": 6, "2026-07-31": 0 }, { group_id: 2 }),
        keyword("5", "lorry", { "2026-07-31": 7 }, { group_id: 2 }),
        keyword("6", "far away", { "2026-07-01": 26, "2026-07-31": 90 }),
        keyword("7", "never", { "2026-07-01": 0, "2026-07-31": 0 }),
        keyword("8", "never looked up", {}),
      );
      const { columns, rows, available, unavailable_reason, deep_link, source, kind } = await drill("keywords");
      expect({ columns, available, unavailable_reason, deep_link, source, kind }).to.deep.equal({
        columns: ["begin", "end", "change", "volume"],
        available: true,
        unavailable_reason: null,
        deep_link: "",
        source: "seranking",
        kind: "keywords",
      });
      const row = (label: string, key: string, begin: number, end: number, change: number, href: string | null = null) => ({
        label,
        key,
        href,
        metrics: { begin, end, change, volume: 100 },
      });
      expect(rows).to.deep.equal([
        row("car", "dropped", 6, 0, 0),
        row("lorry", "unchanged", 7, 7, 0),
        row("van", "new", 0, 5, 0),
        row("bike", "declined", 3, 8, -5, "https://a.example/new"),
        row("tandem", "improved", 9, 4, 5),
      ]);
    });

    it("shows 50 at most, up to the furthest position that the client's settings say", async () => {
      track(
        ...Array.from({ length: 60 }, (_, n) => keyword(String(n), `word ${n}`, { "2026-07-01": n + 1, "2026-07-31": n + 1 })),
      );
      expect((await drill("keywords")).rows).to.have.length(25);
      await world.settings(tenant, linked.companyId, { rankings: { max_position: 100 } });
      expect((await drill("keywords", "period=2026-06")).rows).to.have.length(0);
      await world.service.sql.query("delete from marketing_answers");
      expect((await drill("keywords")).rows).to.have.length(50);
    });

    it("names keywords by id where positions came without names", async () => {
      track(keyword("1", "bike", { "2026-07-01": 2 }));
      world.seranking.leavesOutNames = true;
      expect((await drill("keywords")).rows[0].label).to.equal("bike");
      expect(world.seranking.asked()).to.include(`/project-management/keywords?site_id=${site.id}`);
    });

    it("names the search engine where a project has several, by its id where the path of names answers 404", async () => {
      track(keyword("1", "bike", { "2026-07-01": 2 }));
      site.engines.push({
        site_engine_id: 11,
        search_engine_id: 412,
        region_name: null,
        keywords: [keyword("1", "bike", { "2026-07-01": 3 })],
      });
      const labels = async (query?: string) => (await drill("keywords", query)).rows.map(({ label }: { label: string }) => label);
      expect(await labels()).to.deep.equal(["bike (411 Nederland)", "bike (412)"]);
      world.seranking.engineNames = { 411: "Google", 412: "Bing" };
      await world.service.sql.query("delete from marketing_answers");
      expect(await labels()).to.deep.equal(["bike (Bing)", "bike (Google Nederland)"]);
    });
  });

  describe("drilldown keyword_groups", () => {
    it("shows how many keywords each group has and the mean of where they rank last", async () => {
      track(
        keyword("1", "bike", { "2026-07-01": 9, "2026-07-31": 3 }),
        keyword("2", "tandem", { "2026-07-31": 6 }),
        keyword("3", "trike", { "2026-07-31": 0 }),
        keyword("4", "car", { "2026-07-31": 0 }, { group_id: 2 }),
      );
      const { columns, rows } = await drill("keyword_groups");
      expect(columns).to.deep.equal(["avg_position", "keywords"]);
      expect(rows).to.deep.equal([
        { label: "Bikes", key: "1", href: null, metrics: { avg_position: 4.5, keywords: 3 } },
        { label: "Autos", key: "2", href: null, metrics: { keywords: 1 } },
      ]);
    });
  });

  describe("drilldown audit", () => {
    const audit = (id: number, last_update: string, status = "finished", site_id = site.id) => ({
      id,
      site_id,
      status,
      last_update,
      issues: [
        ["notice", "Long title", 9],
        ["error", "Broken link", 2],
        ["warning", "No alt text", 40],
        ["error", "Server error", 5],
        ["error", "Nothing wrong here", 0],
        ["passed", "All is well", 100],
        ...Array.from({ length: 9 }, (_, n) => ["notice", `Notice ${n}`, 1] as const),
      ] as ["error" | "warning" | "notice" | "passed", string, number][],
    });

    it("shows ten faults of the newest finished audit: errors, warnings, notices, each by pages", async () => {
      const newer = audit(2, "2026-07-20 10:00:00");
      newer.issues[1] = ["error", "Broken link", 3];
      world.seranking.audits.push(
        audit(1, "2026-07-01 10:00:00"),
        newer,
        audit(3, "2026-07-25 10:00:00", "running"),
        audit(4, "2026-07-28 10:00:00", "finished", 1),
      );
      const { columns, rows } = await drill("audit");
      expect(columns).to.deep.equal(["pages"]);
      expect(rows).to.have.length(10);
      expect(rows.slice(0, 4)).to.deep.equal([
        { label: "Server error", key: "error", href: null, metrics: { pages: 5 } },
        { label: "Broken link", key: "error", href: null, metrics: { pages: 3 } },
        { label: "No alt text", key: "warning", href: null, metrics: { pages: 40 } },
        { label: "Long title", key: "notice", href: null, metrics: { pages: 9 } },
      ]);
      expect(world.seranking.asked()).to.deep.equal(["/site-audit/audits?limit=200", "/site-audit/audits/report?audit_id=2"]);
    });

    it("is empty, and available, for a project that was never audited", async () => {
      const { rows, available } = await drill("audit");
      expect([rows, available]).to.deep.equal([[], true]);
    });
  });

  describe("drilldown ai_search", () => {
    beforeEach(() => {
      site.models.push(
        { id: 1, base_name: "perplexity", mentions: 12.5, links: 4, prompts: 20 },
        { id: 2, base_name: "chatgpt", mentions: 40, links: 10, prompts: 20 },
      );
    });

    it("shows the share of answers that mention and link the site, by language model", async () => {
      const { columns, rows } = await drill("ai_search");
      expect(columns).to.deep.equal(["mention_share", "link_share", "prompts"]);
      expect(rows).to.deep.equal([
        { label: "chatgpt", key: "2", href: null, metrics: { mention_share: 40, link_share: 10, prompts: 20 } },
        { label: "perplexity", key: "1", href: null, metrics: { mention_share: 12.5, link_share: 4, prompts: 20 } },
      ]);
      expect(world.seranking.asked()).to.include(
        `/project-management/airt/llm/statistics?site_id=${site.id}&llm_id=1&from=2026-07-01&to=2026-07-31&top=0`,
      );
    });

    it("omits a model whose statistics are refused, and fails if none answers (S3)", async () => {
      const refused = { kind: "reply", status: 403, body: "{}" } as const;
      const heal = world.seranking.failWhen(({ query }) => query.get("llm_id") === "1", refused);
      expect((await drill("ai_search")).rows).to.have.length(1);
      heal();
      world.seranking.failWhen(({ query }) => query.has("llm_id"), refused);
      const { available, unavailable_reason } = await drill("ai_search", "period=2026-06");
      expect([available, unavailable_reason]).to.deep.equal([false, "marketing.seranking_key_rejected"]);
    });
  });

  it("gives the keywords of a report, with group, engine, page and volume", async () => {
    track(keyword("1", "bike", { "2026-07-01": 9, "2026-07-31": 3 }, { pages: ["https://a.example/bikes"] }));
    expect(await world.ask(tenant, linked, "rankings", "2026-07-01", "2026-07-31")).to.deep.equal([
      {
        keyword: "bike",
        group: "Bikes",
        engine: null,
        page: "https://a.example/bikes",
        begin: 9,
        end: 3,
        change: 6,
        status: "improved",
        volume: 100,
        impressions: null,
      },
    ]);
  });
});
