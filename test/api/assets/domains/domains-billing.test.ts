import { expect } from "chai";
import { addDays, addMonths } from "../../../../core/calendar/calendar.ts";
import type { Tenant, TestService } from "../../../support/service.ts";
import { sharedService } from "../../../support/service.ts";
import { type Body, bodyOf } from "../../work/tasks/task-records.ts";
import { billingOf, makeDomain, registersOf } from "./domain-records.ts";

type Registers = ReturnType<typeof registersOf>;
/** The registers' state of a domain, the domain's own decision, and the result (assets §13.5). */
type Example = [what: string, arrange: (of: Registers, domain: Body) => Promise<unknown>, wanted: unknown[], own?: boolean];

const EXAMPLES: readonly Example[] = [
  ["no account", async () => {}, [true, "default", []]],
  ["an account that was stored and verified, never synced", (of) => of.registrar(null), [true, "default", []]],
  [
    "a registrar that lists it, linked",
    async (of, { id, name }) => of.listed(await of.registrar(), name, { domain_id: id }),
    [true, "register", ["registrar"]],
  ],
  [
    "a registrar that lists its name alone",
    async (of, { name }) => of.listed(await of.registrar(), name),
    [true, "register", ["registrar"]],
  ],
  [
    "a registrar that lists another name, linked",
    async (of, { id, name }) => of.listed(await of.registrar(), `a-${name}`, { domain_id: id }),
    [true, "register", ["registrar"]],
  ],
  [
    "both registers",
    async (of, { name }) => {
      await of.registered(await of.edge(), name);
      await of.listed(await of.registrar(), name);
    },
    [true, "register", ["edge", "registrar"]],
  ],
  [
    "a registration elsewhere",
    async (of, { name }) => of.registered(await of.edge(), name, { at_provider: false }),
    [false, "register", []],
  ],
  ["a zone alone", async (of, { id, name }) => of.zone(await of.edge(), name, id), [false, "register", []]],
  [
    "a registrar row that is gone",
    async (of, { id, name }) => of.listed(await of.registrar(), name, { domain_id: id, registry_status: "gone" }),
    [false, "register", []],
  ],
  [
    "an edge registration that is gone",
    async (of, { name }) => of.registered(await of.edge(), name, { gone: true }),
    [false, "register", []],
  ],
  ["an edge account whose list was never read", (of) => of.edge(null), [true, "default", []]],
  [
    "a registrar row without a status, of an account that failed since",
    async (of, { name }) => of.listed(await of.registrar(), name, { registry_status: null, last_error: "failed" }),
    [true, "register", ["registrar"]],
  ],
  ["nothing in any register, billed by its own word", (of) => of.registrar(), [true, "explicit", []], true],
  [
    "a registrar that lists it, not billed by its own word",
    async (of, { name }) => of.listed(await of.registrar(), name),
    [false, "explicit", ["registrar"]],
    false,
  ],
];

describe("who is billed for a domain (assets §2.3)", () => {
  let service: TestService;
  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());

  const listed = async (tenant: Tenant, query: string): Promise<Body[]> =>
    bodyOf(await tenant.owner.get(`/domains?${query}`)).items;

  for (const [what, arrange, wanted, own] of EXAMPLES)
    it(`with ${what}: ${JSON.stringify(wanted)}, in every read`, async () => {
      const tenant = await service.tenant();
      const today = addDays(new Date().toISOString().slice(0, 10), 40);
      const domain = await makeDomain(tenant, {
        price_override: 10,
        next_invoice_date: today,
        start_date: addMonths(today, -12),
        ...(own !== undefined && { invoiceable: own }),
      });
      await arrange(registersOf(service, tenant), domain);
      expect(billingOf(bodyOf(await tenant.owner.get(`/domains/${domain.id}`)))).to.deep.equal(wanted);
      const [shown] = await listed(tenant, "");
      expect(billingOf(shown)).to.deep.equal(wanted);
      for (const answer of [true, false])
        expect(await listed(tenant, `invoiceable=${answer}`)).to.have.length(answer === wanted[0] ? 1 : 0);
      const picker = bodyOf(await tenant.owner.get(`/invoicing/outstanding?company_id=${domain.company_id}`));
      expect(picker.domains.map(({ id, invoiceable }: Body) => [id, invoiceable])).to.deep.equal([[domain.id, wanted[0]]]);
      const backlog = bodyOf(await tenant.owner.get("/invoicing/recurring-backlog?source=domain"));
      expect(backlog.items).to.have.length(wanted[0] ? 1 : 0);
      const tiles = bodyOf(await tenant.owner.get(`/companies/${domain.company_id}/summary`));
      const tile = tiles.find(({ key }: Body) => key === "domains.renewal");
      expect(tile?.value).to.equal(wanted[0] ? today : undefined);
    });

  it("asks no register of another organisation", async () => {
    const [tenant, other] = [await service.tenant(), await service.tenant()];
    const domain = await makeDomain(tenant);
    const of = registersOf(service, other);
    await of.listed(await of.registrar(), domain.name);
    expect(billingOf(bodyOf(await tenant.owner.get(`/domains/${domain.id}`)))).to.deep.equal([true, "default", []]);
  });

  it("shows the latest expiry of registers that are not gone, past ones too, and copies it nowhere", async () => {
    const tenant = await service.tenant();
    const domain = await makeDomain(tenant, { next_invoice_date: "2030-05-05" });
    const of = registersOf(service, tenant);
    const expiry = async () => bodyOf(await tenant.owner.get(`/domains/${domain.id}`));
    await of.registered(await of.edge(), domain.name, { expires_at: "2020-03-01T23:30:00Z", at_provider: false });
    expect((await expiry()).register_expires_on).to.equal("2020-03-01");
    const registrar = await of.registrar();
    await of.listed(registrar, domain.name, { expires_on: "2031-01-02" });
    await of.listed(await of.registrar(), domain.name, { expires_on: "2032-01-02", registry_status: "gone" });
    await of.listed(registrar, `b-${domain.name}`, { expires_on: "2031-02-02", domain_id: domain.id });
    const after = await expiry();
    expect([after.register_expires_on, after.next_invoice_date]).to.deep.equal(["2031-02-02", "2030-05-05"]);
    const [shown] = await listed(tenant, "");
    expect(shown).to.deep.equal(after);
  });

  it("is resolved for a page in one statement, the same for few rows and for many", async () => {
    const tenant = await service.tenant();
    const of = registersOf(service, tenant);
    const registrar = await of.registrar();
    const company_id = (await tenant.company()).id;
    const statements = async (query: string) => {
      const { statements: counted } = (await tenant.owner.get(`/domains?limit=200&${query}`)) as unknown as {
        statements: number;
      };
      return counted;
    };
    const fill = async (count: number) => {
      for (let made = 0; made < count; made += 1) {
        const domain = await makeDomain(tenant, { company_id });
        await of.listed(registrar, domain.name);
      }
    };
    await fill(3);
    const few = await statements("");
    expect(few).to.be.a("number").that.is.lessThan(6);
    await fill(12);
    expect(await statements("")).to.equal(few);
    // With `meta=false` no price is read: the answer does not wait for their table.
    await service.sql.query("begin");
    await service.sql.query("lock table tld_prices in access exclusive mode");
    const bare = await statements("meta=false&count=false").finally(() => service.sql.query("rollback"));
    expect(bare).to.be.a("number").that.is.at.most(few);
    const { status, body } = await tenant.owner.get("/domains?meta=false&count=false");
    expect([status, body.items.length]).to.deep.equal([200, 15]);
  });
});
