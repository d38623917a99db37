import { expect } from "chai";
import names from "../../../../migrations/before-0.3/0054-edge-names-in-ascii.ts";
import { runRenewals } from "../../../../services/assets/billing/renewal.ts";
import { recordEvents } from "../../../support/answers.ts";
import type { Tenant, TestService } from "../../../support/service.ts";
import { runFor } from "../../work/tasks/task-records.ts";
import { type Account, type EdgeWorld, startEdge } from "./edge-world.ts";

const UNICODE = "grüße.example";
const ASCII = "xn--gre-6ka8l.example";

describe("international names at the edge (assets §6, Names at the boundary)", () => {
  let world: EdgeWorld;
  let service: TestService;
  let tenant: Tenant;
  let account: Account;
  before(async () => {
    world = await startEdge();
    ({ service } = world);
    await recordEvents(service);
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
  const connect = (id: string) => tenant.owner.post(`/edge/domains/${id}/connect`, {});
  const rows = async (text: string) => (await service.sql.query(text, [tenant.organisation.id])).rows;
  const made = async () => {
    const { status, body, text } = await tenant.owner.post("/domains", {
      name: UNICODE,
      company_id: (await tenant.company()).id,
      price_override: "10.00",
      next_invoice_date: "2026-01-01",
    });
    expect(status, text).to.equal(201);
    return body.id as string;
  };

  it("are matched with domains in a sync: zone, registration and hostnames", async () => {
    const id = await made();
    world.provider.state.zone(at(), UNICODE, { name_servers: ["ns1.bücher.example", "NS2.Edge.Example"] });
    world.provider.state.registration(at(), UNICODE);
    world.provider.state.project(at(), "site", [`www.${UNICODE}`]);
    world.provider.state.project(at(), "asked", [`shop.${UNICODE}`], true);
    expect(await sync()).to.include({
      ok: true,
      zones_matched: 1,
      registrar_domains_matched: 1,
      registrar_domains_at_edge: 1,
      pages_links_adopted: 2,
    });
    expect(await rows("select name, domain_id, name_servers from edge_zones where organisation_id = $1")).to.deep.equal([
      { name: ASCII, domain_id: id, name_servers: ["ns1.xn--bcher-kva.example", "ns2.edge.example"] },
    ]);
    expect(await rows("select name, domain_id from edge_registrations where organisation_id = $1")).to.deep.equal([
      { name: ASCII, domain_id: id },
    ]);
    expect(await rows("select hostname from edge_page_links where organisation_id = $1 order by 1")).to.deep.equal([
      { hostname: `shop.${ASCII}` },
      { hostname: `www.${ASCII}` },
    ]);
    const checked = (await tenant.owner.post(`/edge/domains/${id}/check`)).body;
    expect([checked.unavailable, checked.pages_links.map(({ missing_at }: { missing_at: null }) => missing_at)]).to.deep.equal([
      [],
      [null, null],
    ]);
  });

  it("are renewed: a domain registered at the provider counts as registered there", async () => {
    const id = await made();
    world.provider.state.registration(at(), UNICODE);
    await sync();
    const { body } = await tenant.owner.get(`/domains/${id}`);
    expect([body.invoiceable_effective, body.invoiceable_source, body.registers]).to.deep.equal([true, "register", ["edge"]]);
    await runFor(tenant, runRenewals);
    const { rows: due } = await service.sql.query("select payload from recorded where event = 'domain.due' and entity_id = $1", [
      id,
    ]);
    expect(due.map(({ payload }) => [payload.name, payload.amount, payload.period_end])).to.deep.equal([
      [UNICODE, "10.00", "2026-01-01"],
    ]);
  });

  it("are connected with the zone that is there, which the provider finds by its Unicode name alone", async () => {
    const zone = world.provider.state.zone(at(), UNICODE);
    const { status, body } = await connect(await made());
    expect([status, body.edge_zone_id, body.name]).to.deep.equal([200, zone.id, ASCII]);
    expect(world.provider.calls()).to.deep.equal([
      `GET /zones?name=${ASCII}&per_page=50`,
      `GET /zones?name=${UNICODE}&per_page=50`,
    ]);
  });

  it("are connected with a zone that is made, and found again when its answer was lost", async () => {
    const id = await made();
    const end = world.provider.failWhen(({ method }) => method === "POST", { kind: "lose" });
    expect((await connect(id)).status).to.equal(502);
    end();
    expect((await connect(id)).body.name).to.equal(ASCII);
    expect(world.provider.state.zones).to.have.length(1);
  });

  it("have a redirect with its origin, in the proxy that is there", async () => {
    const id = await made();
    const zone = world.provider.state.zone(at(), UNICODE);
    world.provider.state.record(zone.id, { type: "A", name: ASCII, content: "192.0.2.1", proxied: true });
    await connect(id);
    const { status } = await tenant.owner.put(`/edge/domains/${id}/redirect`, { target_url: "https://b.example" });
    expect(status).to.equal(200);
    expect(world.provider.state.records.map(({ name, type }) => [name, type])).to.deep.equal([
      [ASCII, "A"],
      [`www.${ASCII}`, "AAAA"],
    ]);
    const { body } = await tenant.owner.post(`/edge/domains/${id}/check`);
    expect(body.origin).to.deep.equal({ apex_proxied: true, www_proxied: true, has_records: true });
  });

  it("are served by a static site, for either spelling of the hostname", async () => {
    const id = await made();
    world.provider.state.zone(at(), UNICODE);
    world.provider.state.project(at(), "site");
    await sync();
    const [{ id: project_id }] = await rows("select id from edge_projects where organisation_id = $1");
    const link = (hostname: string) => tenant.owner.post(`/edge/domains/${id}/pages`, { project_id, hostname });
    const first = await link(`www.${UNICODE}`);
    expect([first.status, first.body.hostname, first.body.last_error]).to.deep.equal([201, `www.${ASCII}`, null]);
    expect((await link(`WWW.${ASCII}.`)).body.id).to.equal(first.body.id);
    expect(world.provider.state.records.map(({ name }) => name)).to.deep.equal([`www.${ASCII}`]);
    expect(await sync()).to.include({ pages_links_matched: 1, pages_links_adopted: 0, pages_links_missing: 0 });
    expect((await tenant.owner.delete(`/edge/pages/links/${first.body.id}`)).status).to.equal(204);
    expect([...(world.provider.state.projects[0]?.hostnames.keys() ?? [])]).to.deep.equal([]);
  });

  describe("that an earlier version stored in Unicode", () => {
    const migrate = () => names.up({ sql: (text, values) => service.sql.query(text, values), application: '"kantoor_app"' });

    it("are converted to ASCII, and the domain counts as registered from then on", async () => {
      const id = await made();
      await sync();
      const insert = (table: string, columns: string, values: string) =>
        service.sql.query(
          `insert into ${table} (id, organisation_id, ${columns}) select gen_random_uuid(), $1, ${values.replaceAll("§", "$2::uuid")}`,
          [tenant.organisation.id, account.id],
        );
      await insert("edge_zones", "account_id, edge_zone_id, name, status", `§, 'one', '${UNICODE}', 'active'`);
      for (const name of [UNICODE, "bücher.example", "xn--bcher-kva.example", "plain.example"])
        await insert("edge_registrations", "account_id, name, at_provider", `§, '${name}', true`);
      const held = async () => (await tenant.owner.get(`/domains/${id}`)).body.registers;
      expect(await held()).to.deep.equal([]);
      await migrate();
      expect(await rows("select name from edge_zones where organisation_id = $1")).to.deep.equal([{ name: ASCII }]);
      expect(await rows("select name from edge_registrations where organisation_id = $1 order by 1")).to.deep.equal([
        { name: "plain.example" },
        { name: "xn--bcher-kva.example" },
        { name: ASCII },
      ]);
      expect(await held()).to.deep.equal(["edge"]);
      const before = await rows("select id, version from edge_registrations where organisation_id = $1 order by 1");
      await migrate();
      expect(await rows("select id, version from edge_registrations where organisation_id = $1 order by 1")).to.deep.equal(
        before,
      );
    });
  });
});
