import { expect } from "chai";
import type { Caller, Tenant } from "../../support/service.ts";
import { refusalOf } from "../clients/companies/company-records.ts";
import { type Body, restricted, type StoredWorld, storedWorld } from "./stored-world.ts";

const TODAY = "2026-08-10";

describe("the reads over all clients (marketing-ads §2.8)", () => {
  let world: StoredWorld;
  let tenant: Tenant;
  before(async () => {
    world = await storedWorld(TODAY);
  });
  beforeEach(async () => {
    tenant = await world.tenant();
  });
  after(() => world.stop());

  const get = async (path: string, who: Caller = tenant.owner): Promise<Body> => {
    const { status, text, body } = await who.get(`/marketing/${path}`);
    expect(status, text).to.equal(200);
    return body;
  };
  const client = async (name: string): Promise<string> => (await tenant.company({ name })).id;
  const names = ({ rows }: Body): string[] => rows.map(({ company_name }: Body) => company_name);
  const hide = (id: string, ...hidden: string[]) =>
    tenant.owner.put(`/marketing/companies/${id}/settings`, {
      layout: { sources: Object.fromEntries(hidden.map((source) => [source, { hidden: true }])) },
    });
  const kpi = (current: number, previous: number, delta_pct: number | null, lower_is_better = false) => ({
    current,
    previous,
    delta_pct,
    lower_is_better,
    pending: false,
    missing_days: 0,
    previous_missing_days: 0,
  });

  describe("GET /marketing/overview", () => {
    it("has a row for each linked client, with the columns of its sources", async () => {
      const [shop, bakery] = [await client("Shop"), await client("bakery")];
      await client("Nothing linked");
      const ga4 = await world.link(tenant, shop, "ga4");
      const gads = await world.link(tenant, shop, "gads");
      const gsc = await world.link(tenant, bakery, "gsc");
      await world.link(tenant, bakery, "seranking");
      await world.days(ga4, { "2026-08-09": { sessions: 12, keyEvents: 3 }, "2025-08-09": { sessions: 8, keyEvents: 4 } });
      await world.days(gads, { "2026-08-08": { cost: 1.25, conversions: 99 }, "2026-08-09": { cost: 2 } });
      await world.days(gsc, {
        "2026-08-09": { clicks: 2, impressions: 10, position: 4 },
        "2026-08-08": { clicks: 1, impressions: 30, position: 8 },
      });
      const body = await get("overview?range_days=7");
      expect(body).to.deep.equal({
        range_days: 7,
        period: "7d",
        compare: { mode: "year", current_start: "2026-08-03", current_end: "2026-08-09", start: "2025-08-03", end: "2025-08-09" },
        rows: [
          {
            company_id: bakery,
            company_name: "bakery",
            sources_present: ["gsc", "seranking"],
            metrics: { clicks: kpi(3, 0, null), position: kpi(7, 0, null, true) },
            show_key_events: true,
          },
          {
            company_id: shop,
            company_name: "Shop",
            sources_present: ["ga4", "gads"],
            metrics: { sessions: kpi(12, 8, 50), cost: kpi(3.25, 0, null), conversions: kpi(3, 4, -25) },
            show_key_events: true,
          },
        ],
        total: 2,
      });
    });

    it("adds several links of a source up, and weighs their days together", async () => {
      const shop = await client("Shop");
      const [one, other, gone] = [
        await world.link(tenant, shop, "gsc"),
        await world.link(tenant, shop, "gsc"),
        await world.link(tenant, shop, "gsc", { active: false }),
      ];
      await world.days(one, { "2026-08-09": { clicks: 1, impressions: 10, position: 1 } });
      await world.days(other, { "2026-08-09": { clicks: 2, impressions: 30, position: 5 } });
      await world.days(gone, { "2026-08-09": { clicks: 100, impressions: 1000, position: 50 } });
      const [row] = (await get("overview")).rows;
      expect([row.metrics.clicks.current, row.metrics.position.current]).to.deep.equal([3, 4]);
    });

    it("sorts by name without or with an unknown key, and puts rows without the figure last in both directions", async () => {
      const sessions: Record<string, number | null> = { Delta: 5, alfa: null, Bravo: 9, charlie: 5, Echo: null };
      for (const [name, value] of Object.entries(sessions)) {
        const id = await client(name);
        const link = await world.link(tenant, id, value === null ? "gads" : "ga4");
        if (value !== null) await world.days(link, { "2026-08-09": { sessions: value } });
      }
      const byName = ["alfa", "Bravo", "charlie", "Delta", "Echo"];
      for (const sort of ["", "company_name", "unknown", "-unknown", "constructor"])
        expect(names(await get(`overview?sort=${sort}`)), sort).to.deep.equal(byName);
      expect(names(await get("overview?sort=-company_name"))).to.deep.equal(byName.toReversed());
      expect(names(await get("overview?sort=sessions"))).to.deep.equal(["charlie", "Delta", "Bravo", "alfa", "Echo"]);
      expect(names(await get("overview?sort=-sessions"))).to.deep.equal(["Bravo", "charlie", "Delta", "alfa", "Echo"]);
    });

    it("compares by the organisation's rule alone", async () => {
      const shop = await client("Shop");
      await world.link(tenant, shop, "ga4");
      await tenant.owner.put(`/marketing/companies/${shop}/settings`, { compare: "previous" });
      expect((await get("overview")).compare.mode).to.equal("year");
      await tenant.owner.put("/marketing/settings", { default_compare: "previous" });
      expect((await get("overview?period=last_month")).compare).to.deep.include({
        mode: "previous",
        start: "2026-06-01",
        end: "2026-06-30",
      });
      expect((await get("summary")).compare.mode).to.equal("previous");
    });

    it("shows constant traffic of late sources without a change (P21)", async () => {
      const shop = await client("Shop");
      const [late, punctual] = [await world.link(tenant, shop, "gsc"), await world.link(tenant, shop, "gsc")];
      const traffic = { clicks: 10, impressions: 100, position: 5 };
      await world.constant(late, "2025-01-01", "2026-08-06", traffic);
      await world.constant(punctual, "2025-01-01", "2026-08-09", traffic);
      await tenant.owner.put("/marketing/settings", { default_compare: "previous" });
      const [row] = (await get("overview?range_days=7")).rows;
      expect(row.metrics.clicks).to.deep.equal(kpi(110, 110, 0));
      const [first] = (await get("summary?range_days=7")).rows;
      expect(first.kpi).to.deep.equal(kpi(110, 110, 0));
    });

    it("uses no figure from a hidden source, for any caller", async () => {
      const [shop, bakery] = [await client("Shop"), await client("Bakery")];
      for (const id of [shop, bakery])
        for (const source of ["ga4", "gads"])
          await world.days(await world.link(tenant, id, source), { "2026-08-09": { sessions: 5, cost: 3 } });
      await hide(shop, "ga4");
      await hide(bakery, "ga4", "gads");
      const managed = await get("overview");
      expect(names(managed)).to.deep.equal(["Bakery", "Shop"]);
      expect(managed.rows.map(({ metrics }: Body) => Object.keys(metrics))).to.deep.equal([[], ["cost"]]);
      expect(managed.rows[1].sources_present).to.deep.equal(["ga4", "gads"]);
      const reader = await tenant.member("member", { grants: ["marketing.overview.read"] });
      const seen = await get("overview", reader);
      expect(seen.total).to.equal(1);
      expect(seen.rows[0]).to.deep.include({ company_name: "Shop", sources_present: ["gads"] });
      expect(Object.keys(seen.rows[0].metrics)).to.deep.equal(["cost"]);
    });

    it("says whether key events are among a client's figures", async () => {
      const shop = await client("Shop");
      await world.link(tenant, shop, "ga4");
      await tenant.owner.put(`/marketing/companies/${shop}/settings`, { layout: { sources: { ga4: { tiles: ["sessions"] } } } });
      expect((await get("overview")).rows[0].show_key_events).to.equal(false);
    });

    it("is for those who may read it, and shows the clients of a selection alone", async () => {
      const [shop, bakery] = [await client("Shop"), await client("Bakery")];
      for (const id of [shop, bakery]) await world.link(tenant, id, "ga4");
      expect((await (await tenant.member("member")).get("/marketing/overview")).status).to.equal(403);
      const admin = await restricted(tenant, [bakery]);
      const body = await get("overview", admin);
      expect([names(body), body.total]).to.deep.equal([["Bakery"], 1]);
      expect((await (await world.tenant()).owner.get("/marketing/overview")).body.total).to.equal(0);
    });

    for (const value of ["0", "401"])
      it(`refuses range_days=${value}`, async () =>
        expect(refusalOf(await tenant.owner.get(`/marketing/overview?range_days=${value}`))).to.deep.equal([
          422,
          "validation",
          { range_days: "errors.validation" },
        ]));
  });

  describe("GET /marketing/summary", () => {
    it("has the highest clients by sessions, else by clicks, then by name", async () => {
      const figures: Record<string, [string, Record<string, number>]> = {
        Alfa: ["ga4", { sessions: 5 }],
        Bravo: ["gsc", { clicks: 9, impressions: 10 }],
        charlie: ["ga4", { sessions: 9 }],
        Delta: ["seranking", { top3: 1 }],
      };
      for (const [name, [source, metrics]] of Object.entries(figures))
        await world.days(await world.link(tenant, await client(name), source), { "2026-08-09": metrics });
      const both = await client("Echo");
      await world.days(await world.link(tenant, both, "gsc"), { "2026-08-09": { clicks: 500, impressions: 900 } });
      await world.link(tenant, both, "ga4");
      const body = await get("summary?limit=20");
      expect(body.rows.map(({ company_name, metric, kpi: { current } }: Body) => [company_name, metric, current])).to.deep.equal([
        ["Bravo", "clicks", 9],
        ["charlie", "sessions", 9],
        ["Alfa", "sessions", 5],
        ["Echo", "sessions", 0],
      ]);
      expect(body.linked_total).to.equal(5);
      const first = await get("summary?limit=1");
      expect([names(first), first.linked_total]).to.deep.equal([["Bravo"], 5]);
      await hide(both, "ga4");
      expect((await get("summary")).rows[0]).to.deep.include({ company_name: "Echo", metric: "clicks" });
    });

    it("has five rows unless asked otherwise, and refuses a limit out of 1 to 20", async () => {
      for (let n = 0; n < 6; n++) await world.link(tenant, await client(`Client ${n}`), "ga4");
      expect((await get("summary")).rows).to.have.length(5);
      for (const limit of [0, 21]) expect((await tenant.owner.get(`/marketing/summary?limit=${limit}`)).status).to.equal(422);
    });

    it("counts and shows only what the caller sees", async () => {
      const [shop, bakery, secret] = [await client("Shop"), await client("Bakery"), await client("Secret")];
      for (const id of [shop, bakery, secret])
        await world.days(await world.link(tenant, id, "ga4"), { "2026-08-09": { sessions: 5 } });
      await hide(secret, "ga4");
      const login = await tenant.member("client");
      await tenant.group("Clients of the login", [bakery, secret], [login.membershipId]);
      const seen = await get("summary", login);
      expect([names(seen), seen.linked_total]).to.deep.equal([["Bakery"], 1]);
      const nobody = await get("summary", await tenant.member("client"));
      expect([nobody.rows, nobody.linked_total]).to.deep.equal([[], 0]);
      const owner = await get("summary");
      expect([names(owner), owner.linked_total]).to.deep.equal([["Bakery", "Shop"], 3]);
    });
  });

  describe("GET /marketing/clients", () => {
    it("lists clients by name with their sources in the order of display, and the worst state of their links", async () => {
      const [shop, bakery] = [await client("Shop"), await client("bakery")];
      await client("Nothing linked");
      await world.link(tenant, shop, "rankmath");
      await world.link(tenant, shop, "ga4");
      await world.link(tenant, shop, "ga4", { last_synced_at: null });
      await world.link(tenant, shop, "gsc", { last_synced_at: null });
      await world.link(tenant, shop, "gsc", { last_error: "marketing.accounts_error" });
      await world.link(tenant, bakery, "gads");
      await world.link(tenant, bakery, "seranking", { active: false });
      expect(await get("clients")).to.deep.equal({
        rows: [
          { company_id: bakery, company_name: "bakery", sources: [{ source: "gads", links: 1, state: "ok" }] },
          {
            company_id: shop,
            company_name: "Shop",
            sources: [
              { source: "ga4", links: 2, state: "pending" },
              { source: "gsc", links: 2, state: "error" },
              { source: "rankmath", links: 1, state: "ok" },
            ],
          },
        ],
        total: 2,
      });
      const first = await get("clients?limit=1");
      expect([names(first), first.total]).to.deep.equal([["bakery"], 2]);
      for (const limit of [0, 501]) expect((await tenant.owner.get(`/marketing/clients?limit=${limit}`)).status).to.equal(422);
    });

    it("counts and lists only what the caller sees", async () => {
      const [shop, bakery] = [await client("Shop"), await client("Bakery")];
      for (const id of [shop, bakery]) for (const source of ["ga4", "gsc"]) await world.link(tenant, id, source);
      await hide(bakery, "ga4");
      await hide(shop, "ga4", "gsc");
      const member = await get("clients", await tenant.member("member"));
      expect([member.total, member.rows.length, member.rows[0].sources]).to.deep.equal([
        1,
        1,
        [{ source: "gsc", links: 1, state: "ok" }],
      ]);
      expect((await get("clients")).total).to.equal(2);
      const admin = await restricted(tenant, [shop]);
      expect(names(await get("clients", admin))).to.deep.equal(["Shop"]);
    });
  });
});
