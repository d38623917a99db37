import { expect } from "chai";
import type { DrilldownRow, RankedKeyword } from "../../../integrations/marketing/sources/source.ts";
import type { Tenant } from "../../support/service.ts";
import { type StoredWorld, storedWorld } from "../marketing/stored-world.ts";
import { ok } from "./reporting-world.ts";
import { printed, rowsOf } from "./sections-world.ts";

const SPAN = { from: "2026-07-01", to: "2026-07-31" };
const SYNCED = { last_synced_at: "2026-08-10T04:45:00Z" };

describe("tables of a report that are cut (workspace-reporting §1.6)", () => {
  let world: StoredWorld;
  let tenant: Tenant;
  let company: string;
  before(async () => {
    world = await storedWorld("2026-08-10");
  });
  beforeEach(async () => {
    tenant = await world.tenant();
    company = (await tenant.company()).id;
  });
  after(() => world.stop());

  const section = (key: string) => printed(tenant, `marketing.${key}`, { company, span: SPAN });
  const settings = (values: object) => ok(tenant.owner.put(`/marketing/companies/${company}/settings`, values));
  /** Keeps an answer of a source, so that a section asks it nothing. */
  const keep = (key: string, answer: readonly unknown[]) =>
    world.sql.query("insert into marketing_answers (organisation_id, cache_key, answer) values ($1, $2, $3)", [
      tenant.organisation.id,
      key,
      JSON.stringify(answer),
    ]);
  const keyword = (values: Partial<RankedKeyword> & Pick<RankedKeyword, "keyword">): RankedKeyword => ({
    group: null,
    engine: null,
    page: null,
    begin: 9,
    end: 8,
    change: 1,
    status: "improved",
    volume: null,
    impressions: null,
    ...values,
  });

  /** A project with these keywords in a source's answer. */
  async function tracked(keywords: readonly RankedKeyword[], limit = 25): Promise<void> {
    const link = await world.link(tenant, company, "seranking", SYNCED);
    await world.days(link, { "2026-07-05": { avg_position: 8, keywords_ranking: keywords.length } });
    await keep(`rankings ${link} 2026-07-01 2026-07-31 2025-07-01 2025-07-31 ${limit} 10 25`, keywords);
  }

  it("have the 25 most searched of 230 keywords, over all groups, and say how many there are", async () => {
    const groups = ["Bread", "Cakes", "Pies"];
    const keywords = Array.from({ length: 230 }, (_, at) =>
      keyword({ keyword: `word ${String(at).padStart(3, "0")}`, group: groups[Math.floor(at / 77)] as string, volume: at * 10 }),
    );
    await tracked(keywords);
    const data = await section("rankings");
    expect(data.table).to.have.property("total_rows", 230);
    const shown = rowsOf(data);
    expect(shown.map(({ volume }) => volume).toSorted((one, other) => Number(one) - Number(other))).to.deep.equal(
      Array.from({ length: 25 }, (_, at) => 2050 + at * 10),
    );
    expect(new Set(shown.map(({ group }) => group))).to.deep.equal(new Set(["Pies"]));
  });

  it("group what was chosen, the most searched of a group first, and among equals the best position", async () => {
    await settings({ rankings: { limit: 4 } });
    await tracked(
      [
        keyword({ keyword: "a", group: "Bread", volume: 10 }),
        keyword({ keyword: "b", group: "Bread", volume: 500, end: 7 }),
        keyword({ keyword: "c", group: "Cakes", volume: 500, end: 3 }),
        keyword({ keyword: "d", group: "Cakes", volume: 900, end: 20 }),
        keyword({ keyword: "e", group: "Bread", volume: 700 }),
        keyword({ keyword: "f", group: "Bread", volume: 500, end: 0 }),
      ],
      4,
    );
    const data = await section("rankings");
    expect(rowsOf(data).map(({ group, keyword: name }) => [group, name])).to.deep.equal([
      ["Bread", "e"],
      ["Bread", "b"],
      ["Cakes", "d"],
      ["Cakes", "c"],
    ]);
    expect(data.table).to.have.property("total_rows", 6);
  });

  it("take impressions where a source has no search volume", async () => {
    await settings({ rankings: { limit: 2 } });
    await tracked(
      [
        keyword({ keyword: "seldom", impressions: 12, end: 1 }),
        keyword({ keyword: "often", impressions: 900, end: 20 }),
        keyword({ keyword: "most", impressions: 1200, end: 22 }),
      ],
      2,
    );
    const data = await section("rankings");
    expect(rowsOf(data).map(({ keyword: name }) => name)).to.deep.equal(["often", "most"]);
  });

  it("name the rows before the cut, and nothing where all of them are there", async () => {
    const connection_id = await world.connection(tenant, tenant.owner);
    const link = await world.link(tenant, company, "gsc", { ...SYNCED, connection_id });
    await world.days(link, { "2026-07-05": { clicks: 4, impressions: 20, ctr: 0.2, position: 4 } });
    const rows = (many: number): DrilldownRow[] =>
      Array.from({ length: many }, (_, at) => ({ label: `query ${at}`, key: null, href: null, metrics: { clicks: 100 - at } }));
    const key = `drilldown ${link} top_queries 2026-07-01 2026-07-31`;
    await keep(key, rows(40));
    const { table } = await section("search_console");
    expect([table?.rows.length, table?.total_rows]).to.deep.equal([25, 40]);
    await world.sql.query("delete from marketing_answers where organisation_id = $1", [tenant.organisation.id]);
    await keep(key, rows(25));
    expect((await section("search_console")).table).not.to.have.property("total_rows");
  });
});
