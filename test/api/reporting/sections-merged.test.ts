import { expect } from "chai";
import type { DrilldownRow } from "../../../integrations/marketing/sources/source.ts";
import type { Tenant } from "../../support/service.ts";
import { type StoredWorld, storedWorld } from "../marketing/stored-world.ts";
import { ok } from "./reporting-world.ts";
import { printed, rowsOf } from "./sections-world.ts";

const TODAY = "2026-08-10";
const SPAN = { from: "2026-07-01", to: "2026-07-31" };
const BEFORE = { from: "2025-07-01", to: "2025-07-31" };

describe("tables of several websites in a report (workspace-reporting §1.6)", () => {
  let world: StoredWorld;
  let tenant: Tenant;
  let company: string;
  before(async () => {
    world = await storedWorld(TODAY);
  });
  beforeEach(async () => {
    world.today(TODAY);
    tenant = await world.tenant();
    company = (await tenant.company()).id;
  });
  after(() => world.stop());

  const report = (values: object) => ok(tenant.owner.put(`/marketing/companies/${company}/settings`, { report: values }));
  const section = (key: string) => printed(tenant, `marketing.${key}`, { company, span: SPAN, locale: "nl" });
  const row = (label: string, metrics: Record<string, number>, key: string | null = null): DrilldownRow => {
    return { label, key, href: null, metrics };
  };
  /** Keeps a source's answer, so that a section asks it nothing. */
  const keep = (link: string, kind: string, now: DrilldownRow[], before: DrilldownRow[] = []) =>
    Promise.all(
      [
        [SPAN, now],
        [BEFORE, before],
      ].map(([span, rows]) => {
        const { from, to } = span as typeof SPAN;
        return world.sql.query("insert into marketing_answers (organisation_id, cache_key, answer) values ($1, $2, $3)", [
          tenant.organisation.id,
          `drilldown ${link} ${kind} ${from} ${to}`,
          JSON.stringify(rows),
        ]);
      }),
    );
  /** Two links of a source to two websites of the client. */
  const links = async (source: string, values: object = {}) => {
    const of = async (name: string) =>
      world.link(tenant, company, source, {
        display_name: name,
        website_id: await world.website(tenant, company, `${name}.example`),
        last_synced_at: "2026-08-10T04:45:00Z",
        ...values,
      });
    return [await of("one"), await of("two")] as const;
  };

  it("add up what adds up, weigh what does not, and match rows by their key in both spans", async () => {
    const connection_id = await world.connection(tenant, tenant.owner);
    const [one, two] = await links("gsc", { connection_id });
    for (const id of [one, two]) await world.days(id, { "2026-07-05": { clicks: 4, impressions: 20, ctr: 0.2, position: 4 } });
    await keep(one, "top_queries", [row("brood", { clicks: 2, impressions: 10, ctr: 0.2, position: 4 })]);
    await keep(two, "top_queries", [
      row("taart", { clicks: 7, impressions: 9, ctr: 0.5, position: 1 }),
      row("brood", { clicks: 6, impressions: 30, ctr: 0.4, position: 8 }),
    ]);
    const split = await section("search_console");
    expect([split.table, split.parts?.map((part) => [part.name, rowsOf(part).map(({ query }) => query)])]).to.deep.equal([
      undefined,
      [
        ["one.example", ["brood"]],
        ["two.example", ["taart", "brood"]],
      ],
    ]);
    await report({ split: "combined" });
    const whole = await section("search_console");
    expect(whole.parts).to.equal(undefined);
    expect(rowsOf(whole)).to.deep.equal([
      { query: "brood", clicks: 8, impressions: 40, ctr: 35, position: 7 },
      { query: "taart", clicks: 7, impressions: 9, ctr: 50, position: 1 },
    ]);
    await report({ split: "combined", exclude: [one] });
    expect(rowsOf(await section("search_console")).map(({ query, clicks }) => [query, clicks])).to.deep.equal([
      ["taart", 7],
      ["brood", 6],
    ]);
  });

  it("compare the visits from a website with those of both links before", async () => {
    const connection_id = await world.connection(tenant, tenant.owner);
    const [one, two] = await links("ga4", { connection_id });
    const visited = { "2026-07-05": { sessions: 9 }, "2025-07-05": { sessions: 9 } };
    for (const id of [one, two]) await world.days(id, visited, { channels: { Referral: 9 } });
    const visits = (sessions: number, engagementRate: number) => ({ sessions, newUsers: 1, engagementRate });
    await keep(one, "referral_sources", [row("a.example", visits(10, 0.5))], [row("a.example", visits(4, 0.5))]);
    await keep(
      two,
      "referral_sources",
      [row("a.example", visits(30, 0.9)), row("b.example", visits(1, 1))],
      [row("a.example", visits(2, 0.5)), row("c.example", visits(5, 0.5))],
    );
    await report({ split: "combined" });
    const { totals, table } = await section("referral");
    expect(totals.map(({ value, before }) => [value, before])).to.deep.equal([[18, 18]]);
    expect(
      rowsOf({ table }).map(({ website, sessions, before, newUsers, engagementRate }) => {
        return [website, sessions, before, newUsers, engagementRate];
      }),
    ).to.deep.equal([
      ["a.example", 40, 6, 2, 80],
      ["b.example", 1, null, 1, 100],
    ]);
  });

  it("weigh shares of answers by their prompts, and add up findings of the same severity and name", async () => {
    const [one, two] = await links("seranking");
    const share = (mention_share: number, prompts: number) => ({ mention_share, link_share: 0, prompts });
    await keep(one, "ai_search", [row("gemini", share(50, 10))], [row("gemini", share(40, 10))]);
    await keep(two, "ai_search", [row("gemini", share(20, 30)), row("chatgpt", share(90, 30))]);
    await keep(one, "audit", [row("Broken link", { pages: 3 }, "error")]);
    await keep(two, "audit", [row("Broken link", { pages: 1 }, "notice"), row("Broken link", { pages: 4 }, "error")]);
    await report({ split: "combined" });
    expect(rowsOf(await section("ai_search"))).to.deep.equal([
      { model: "chatgpt", mention_share: 90, before: null, link_share: 0, prompts: 30 },
      { model: "gemini", mention_share: 27.5, before: 40, link_share: 0, prompts: 40 },
    ]);
    expect(rowsOf(await section("site_audit"))).to.deep.equal([
      { issue: "Broken link", severity: "Fout", pages: 7 },
      { issue: "Broken link", severity: "Melding", pages: 1 },
    ]);
  });
});
