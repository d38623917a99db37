import { expect } from "chai";
import type { ListQuirk } from "../../../simulators/edge/paging.ts";
import type { Tenant, TestService } from "../../../support/service.ts";
import { type Account, type EdgeWorld, startEdge } from "./edge-world.ts";

/** Zones at the provider, how its list deviates, the parameters of each request, and the number of zones read or the error. */
type Example = [what: string, zones: number, quirk: ListQuirk, asked: string[], wanted: number | string];

const EXAMPLES: readonly Example[] = [
  ["a page that is not full ends it", 20, {}, ["page=1&per_page=50"], 20],
  ["by its number of pages", 100, {}, ["page=1&per_page=50", "page=2&per_page=50"], 100],
  [
    "without numbers, until a short page",
    100,
    { isSilent: true },
    ["page=1&per_page=50", "page=2&per_page=50", "page=3&per_page=50"],
    100,
  ],
  ["of pages that are smaller than asked for", 45, { ceiling: 20 }, ["page=1&per_page=50", "page=1", "page=2", "page=3"], 45],
  ["without pages", 120, { isSinglePage: true }, ["page=1&per_page=50", "page=1", ""], 120],
  [
    "that gives its first page again and again",
    50,
    { ignoresPage: true, isSilent: true },
    ["page=1&per_page=50", "page=2&per_page=50"],
    50,
  ],
  [
    "that gives its first page again, and says that there are more",
    60,
    { ignoresPage: true },
    ["page=1&per_page=50", "page=2&per_page=50"],
    "50 of 60",
  ],
  ["that says there are more", 2, { totalCount: 3 }, ["page=1&per_page=50"], "2 of 3"],
];

describe("lists of the edge provider (assets §6, Paged reads)", () => {
  let world: EdgeWorld;
  let service: TestService;
  let tenant: Tenant;
  let account: Account;
  before(async () => {
    world = await startEdge();
    ({ service } = world);
  });
  beforeEach(async () => {
    world.provider.reset();
    tenant = await service.tenant();
    account = await world.account(tenant);
  });
  afterEach(() => expect(world.provider.complaints).to.deep.equal([]));
  after(() => world.stop());

  const at = () => account.edge_account_id as string;
  const sync = async () => (await tenant.owner.post(`/edge/accounts/${account.id}/sync`)).body;
  const zones = (count: number) => {
    for (let n = 0; n < count; n++) world.provider.state.zone(at(), `z${n}.example`);
  };
  const asked = () =>
    world.provider.calls().flatMap((call) => {
      const [path, query = ""] = call.split("?");
      return path === "GET /zones" ? [query.replace(/account\.id=[^&]*&?/, "")] : [];
    });

  for (const [what, count, quirk, requests, wanted] of EXAMPLES)
    it(`are read to their end: ${what}`, async () => {
      zones(count);
      world.provider.quirks.set("/zones", quirk);
      const { ok, error, zones_synced } = await sync();
      expect([ok, error, zones_synced]).to.deep.equal(typeof wanted === "number" ? [true, null, wanted] : [false, wanted, 0]);
      expect(asked()).to.deep.equal(requests);
    });

  it("count a row once that two pages have", async () => {
    zones(60);
    const { zones: listed } = world.provider.state;
    listed.splice(50, 0, listed[49] as never);
    world.provider.quirks.set("/zones", { isSilent: true });
    expect((await sync()).zones_synced).to.equal(60);
  });

  it("keep their parameters where a page behind the first is refused", async () => {
    zones(60);
    const body = '{"success":false,"errors":[{"code":8000024,"message":"Invalid list options provided."}]}';
    world.provider.failWhen(({ query }) => query.get("page") === "2", { kind: "reply", status: 400, body });
    expect((await sync()).error).to.equal("HTTP 400 (code 8000024): Invalid list options provided.");
    expect(asked()).to.deep.equal(["page=1&per_page=50", "page=2&per_page=50"]);
  });

  it("have 10,000 rows and 250 requests at most", async function () {
    this.timeout(60_000);
    zones(10_001);
    expect((await sync()).error).to.equal("the list /zones has 10001 rows, more than 10000");
    world.provider.state.zones.length = 251;
    world.provider.quirks.set("/zones", { ceiling: 1 });
    // The provider's own default is more than it gives here: the first request of a size is refused, the next goes without one.
    world.provider.received.length = 0;
    expect((await sync()).error).to.equal("the list /zones needs more than 250 requests");
    expect(asked()).to.have.length(250);
  });

  it("have 1,000 rows at most for a caller who waits", async () => {
    for (let n = 0; n < 1_000; n++) world.provider.state.account(`Account ${n}`);
    const { body } = await tenant.owner.post(`/edge/accounts/${account.id}/verify`);
    expect(body.capability_errors).to.deep.equal({ accounts_read: "the list /accounts has 1001 rows, more than 1000" });
  });

  it("have 100 requests at most for a caller who waits", async () => {
    const zone = await world.zone(tenant, account, "a.example");
    const path = `/zones/${zone.edgeId}/dns_records`;
    for (let n = 0; n < 101; n++)
      world.provider.state.record(zone.edgeId, { type: "A", name: `h${n}.a.example`, content: "192.0.2.1" });
    const read = async () => {
      const { status, body } = await tenant.owner.get(`/edge/zones/${zone.id}/dns`);
      return [status, body.error?.code, (await world.stored("edge_accounts", account.id))["last_error"]];
    };
    world.provider.quirks.set(path, { ceiling: 1 });
    expect(await read()).to.deep.equal([502, "edge_request_failed", `the list ${path} needs more than 100 requests`]);
    world.provider.quirks.clear();
    expect((await read())[0]).to.equal(200);
  });

  for (const [part, path, pages] of [
    ["zones", () => "/zones", 3],
    ["projects", () => `/accounts/${at()}/pages/projects`, 13],
    ["registrations", () => `/accounts/${at()}/registrar/domains`, 3],
  ] as const)
    it(`change no ${part} when they are cut short at any page`, async () => {
      const { provider } = world;
      const add = (from: number, to: number, ...parts: readonly string[]) => {
        for (let n = from; n < to; n++) {
          if (parts.includes("zones")) provider.state.zone(at(), `z${n}.example`);
          if (parts.includes("projects")) provider.state.project(at(), `p${n}`, [`www.z${n}.example`]);
          if (parts.includes("registrations")) provider.state.registration(at(), `r${n}.example`);
        }
      };
      for (const n of [0, 100]) await world.domain(tenant, `z${n}.example`);
      add(0, 3, "zones", "projects", "registrations");
      await sync();
      const stored = async () =>
        (
          await service.sql.query(
            `select 'zone' as what, name, status, domain_id::text, null as gone from edge_zones where organisation_id = $1
             union all select 'project', name, null, null, gone::text from edge_projects where organisation_id = $1
             union all select 'link', hostname, null, domain_id::text, missing_at::text from edge_page_links where organisation_id = $1
             union all select 'registration', name, at_provider::text, domain_id::text, gone::text from edge_registrations
               where organisation_id = $1
             order by 1, 2`,
            [tenant.organisation.id],
          )
        ).rows;
      const before = await stored();
      expect(before).to.have.length(10);
      // Two of the three are away, and more than a page is new: both would show.
      const kept: Record<string, { splice(from: number, count: number): unknown }> = { ...provider.state };
      kept[part]?.splice(1, 2);
      add(3, 131, part);
      const cuts = [
        { body: '{"success":false,"errors":[{"code":7000,"message":"cut"}]}', status: 400, said: "HTTP 400 (code 7000): cut" },
        // As complete as an answer can be, but for the rows.
        { body: '{"success":true,"errors":[],"result":[],"result_info":{"total_count":129}}', status: 200, said: / of 129$/ },
      ];
      for (let page = 1; page <= pages; page++)
        for (const { said, ...reply } of cuts) {
          const end = provider.failWhen(
            ({ path: called, query }) => called.endsWith(path()) && query.get("page") === String(page),
            { kind: "reply", ...reply },
          );
          const { ok, error, warnings } = await sync();
          end();
          const words = ok ? warnings : [error];
          expect(words, `page ${page}`).to.have.length(1);
          expect(words[0], `page ${page}`).to.match(
            said instanceof RegExp ? said : new RegExp(`^${said.replace(/[()]/g, "\\$&")}$`),
          );
          expect(await stored(), `page ${page}`).to.deep.equal(before);
        }
      expect((await sync()).warnings).to.deep.equal([]);
      expect(await stored()).not.to.deep.equal(before);
    }).timeout(60_000);
});
