import { randomUUID } from "node:crypto";
import { expect } from "chai";
import pg from "pg";
import { until } from "../../../support/jobs.ts";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { waitingFor } from "../../../support/waiting.ts";
import { type Body, bodyOf } from "../../work/tasks/task-records.ts";
import { anyName, makeDomain, registersOf } from "./domain-records.ts";

type World = { tenant: Tenant; domain: Body; of: ReturnType<typeof registersOf>; row: string };
/** A change of the one row about a domain, or of the domain, and the answer after it: the registers, and the latest expiry. */
type Turn = [what: string, happens: (world: World) => Promise<unknown>, registers: string[], expires: string | null];

describe("what registers say of a domain (assets §2.2, §2.3)", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const sql = (text: string, values: unknown[]) => service.sql.query(text, values);
  const said = async (id: string) => {
    const { registers, register_expires_on } = bodyOf(await tenant.owner.get(`/domains/${id}`));
    return [registers, register_expires_on];
  };
  const listed = (set: string) => (world: World) => sql(`update registrar_domains set ${set} where id = $1`, [world.row]);
  const registered = (set: string) => (world: World) => sql(`update edge_registrations set ${set} where id = $1`, [world.row]);
  const renamed = (name: (world: World) => string) => (world: World) =>
    tenant.owner.patch(`/domains/${world.domain.id}`, { name: name(world) });

  const REGISTRAR: readonly Turn[] = [
    ["is listed", async () => {}, ["registrar"], "2030-01-02"],
    ["is gone", listed("registry_status = 'gone'"), [], null],
    ["is listed again", listed("registry_status = 'active', expires_on = '2031-01-02'"), ["registrar"], "2031-01-02"],
    ["is another name's", listed("name = 'another.example'"), [], null],
    [
      "is linked by hand",
      ({ row, domain }) => sql("update registrar_domains set domain_id = $2 where id = $1", [row, domain.id]),
      ["registrar"],
      "2031-01-02",
    ],
    [
      "is its own name's again",
      ({ row, domain }) => sql("update registrar_domains set name = $2 where id = $1", [row, domain.name]),
      ["registrar"],
      "2031-01-02",
    ],
    ["is linked no more", listed("domain_id = null"), ["registrar"], "2031-01-02"],
    ["stays with the old name when the domain is renamed", renamed(() => anyName()), [], null],
    ["counts again when the domain has its name back", renamed(({ domain }) => domain.name), ["registrar"], "2031-01-02"],
    [
      "goes with its account",
      ({ row }) =>
        sql("delete from registrar_accounts where id = (select account_id from registrar_domains where id = $1)", [row]),
      [],
      null,
    ],
  ];
  const EDGE: readonly Turn[] = [
    ["is registered", async () => {}, ["edge"], "2030-01-02"],
    ["is moved to another registrar", registered("at_provider = false"), [], "2030-01-02"],
    ["is renewed there", registered("expires_at = '2031-01-02T23:59:59Z'"), [], "2031-01-02"],
    ["is gone", registered("gone = true"), [], null],
    ["is back", registered("gone = false, at_provider = true"), ["edge"], "2031-01-02"],
    ["is removed", ({ row }) => sql("delete from edge_registrations where id = $1", [row]), [], null],
  ];
  const rowOf = {
    registrar: async (of: World["of"], { name }: Body) => of.listed(await of.registrar(), name, { expires_on: "2030-01-02" }),
    edge: async (of: World["of"], { name }: Body) => of.registered(await of.edge(), name, { expires_at: "2030-01-02T00:00:00Z" }),
  };
  for (const [register, turns] of [
    ["registrar", REGISTRAR],
    ["edge", EDGE],
  ] as const)
    it(`follows the row of the ${register}, through every change of it and of the domain`, async () => {
      const domain = await makeDomain(tenant);
      const of = registersOf(service, tenant);
      const world = { tenant, domain, of, row: await rowOf[register](of, domain) };
      for (const [what, happens, registers, expires] of turns) {
        await happens(world);
        expect(await said(domain.id), what).to.deep.equal([registers, expires]);
      }
    });

  it("is known of a domain that comes after the row, and after another of its name", async () => {
    const of = registersOf(service, tenant);
    const name = anyName();
    await of.listed(await of.registrar(), name, { expires_on: "2030-01-02" });
    const first = await makeDomain(tenant, { name });
    expect(await said(first.id)).to.deep.equal([["registrar"], "2030-01-02"]);
    await sql("update registrar_domains set domain_id = $2 where name = $1", [name, first.id]);
    expect((await tenant.owner.delete(`/domains/${first.id}`)).status).to.equal(204);
    const second = await makeDomain(tenant, { name });
    expect(await said(second.id)).to.deep.equal([["registrar"], "2030-01-02"]);
  });

  it("touches neither the version of the domain nor when it was changed", async () => {
    const domain = await makeDomain(tenant);
    const of = registersOf(service, tenant);
    await of.listed(await of.registrar(), domain.name);
    const after = bodyOf(await tenant.owner.get(`/domains/${domain.id}`));
    expect(after).to.deep.equal({ ...domain, ...after, updated_at: domain.updated_at });
    expect(after.registers).to.deep.equal(["registrar"]);
  });

  describe("where a row and a domain of its name come at one moment", () => {
    let first: pg.Client;
    let second: pg.Client;
    beforeEach(async () => {
      [first, second] = [0, 1].map(() => new pg.Client({ connectionString: service.database.owner })) as [pg.Client, pg.Client];
      await Promise.all([first.connect(), second.connect()]);
      await first.query("begin");
    });
    afterEach(() => Promise.all([first.end(), second.end()]));

    const commitWaitedFor = async () => {
      await until(async () => (await waitingFor(first)) === 1);
      await first.query("commit");
    };

    it("the row waits for the domain", async () => {
      const [company, name, id] = [await tenant.company(), anyName(), randomUUID()];
      await first.query(
        "insert into domains (id, organisation_id, company_id, name, label, start_date) values ($1, $2, $3, $4, $4, '2026-01-01')",
        [id, tenant.organisation.id, company.id, name],
      );
      const account = await registersOf(service, tenant).registrar();
      const row = registersOf({ sql: second }, tenant).listed(account, name);
      await commitWaitedFor();
      await row;
      expect((await said(id))[0]).to.deep.equal(["registrar"]);
    });

    it("the domain waits for the row", async () => {
      const name = anyName();
      const account = await registersOf(service, tenant).edge();
      await registersOf({ sql: first }, tenant).registered(account, name);
      const domain = makeDomain(tenant, { name });
      await commitWaitedFor();
      expect((await said((await domain).id))[0]).to.deep.equal(["edge"]);
    });
  });
});
