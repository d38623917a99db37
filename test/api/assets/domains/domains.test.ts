import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { eventsAbout, refused, unfit } from "../../../support/answers.ts";
import type { Tenant } from "../../../support/service.ts";
import { type AgreementService, linesOf, sharedAgreementService } from "../../money/agreements/agreement-records.ts";
import { type Body, bodyOf } from "../../work/tasks/task-records.ts";
import { anyName, makeDomain, providerOf, registersOf } from "./domain-records.ts";

const NOT_FOUND = [404, "not_found", "errors.not_found"];
const BAD_PROVIDER = [400, "invalid_provider", "errors.invalid_provider"];
const BAD_PARTY = [400, "invalid_party", "errors.invalid_party"];

describe("domains", () => {
  let service: AgreementService;
  let tenant: Tenant;
  let company: { id: string; name: string };
  before(async () => {
    service = await sharedAgreementService("2026-06-10");
    tenant = await service.tenant();
    company = await tenant.company({ name: "Vela Works" });
  });
  after(() => service.stop());

  const make = (values: object = {}) => makeDomain(tenant, { company_id: company.id, ...values });
  const post = (values: object) => tenant.owner.post("/domains", { name: anyName(), company_id: company.id, ...values });
  const patch = (id: string, values: object) => tenant.owner.patch(`/domains/${id}`, values);
  const changed = async (id: string, values: object): Promise<Body> => bodyOf(await patch(id, values));
  const get = async (id: string): Promise<Body> => bodyOf(await tenant.owner.get(`/domains/${id}`));

  describe("POST /domains", () => {
    it("stores the bare host in ASCII and shows it in Unicode; a search finds either", async () => {
      const name = `Grüne-Äpfel-${randomUUID()}.Example`;
      const made = await make({ name: ` HTTPS://user@WWW.${name}:8443/x?y#z ` });
      expect(made.name).to.equal(name.toLowerCase());
      expect(made.tld).to.equal("example");
      const { rows } = await service.sql.query("select name from domains where id = $1", [made.id]);
      expect(rows[0].name).to.match(/^xn--grne-pfel-/);
      for (const q of [name.toUpperCase(), rows[0].name.slice(0, 30), "äpfel"])
        expect((await tenant.owner.get(`/domains?q=${encodeURIComponent(q)}`)).body.items[0].id, q).to.equal(made.id);
    });

    it("answers whole, with its defaults", async () => {
      const made = await make();
      expect(made).to.deep.equal({
        id: made.id,
        org_id: tenant.organisation.id,
        name: made.name,
        tld: "example",
        company_id: company.id,
        company_name: "Vela Works",
        status: "active",
        redirect_url: null,
        start_date: "2026-06-10",
        next_invoice_date: "2027-06-10",
        register_expires_on: null,
        price_override: null,
        resolved_price: null,
        resolved_currency: null,
        invoiceable: null,
        invoiceable_effective: true,
        invoiceable_source: "default",
        registers: [],
        auto_invoice_mode: null,
        registrar_provider_id: null,
        registrar_provider_name: null,
        dns_provider_id: null,
        dns_provider_name: null,
        registry_contact: { type: "agency", id: null, label: made.registry_contact.label },
        email_enabled: false,
        email_provider_id: null,
        email_provider_name: null,
        email_contact: null,
        custom: {},
        nameservers: null,
        dnssec: null,
        mx_records: null,
        dns_checked_at: null,
        created_at: made.created_at,
        updated_at: made.updated_at,
      });
      expect(await linesOf(service, "domain", made.id)).to.deep.equal([["created", {}]]);
      expect(await eventsAbout(service, made.id)).to.deep.equal([]);
    });

    for (const name of ["a_b.example", "-a.example", "a..example", `${"a".repeat(64)}.example`, "www", "", " ", null, "..."])
      it(`refuses the name '${String(name).slice(0, 20)}' on its field`, async () => {
        expect(refused(await post({ name }))).to.deep.equal(unfit({ name: "errors.validation" }));
      });

    it("refuses a name that is there, however it is typed, and takes it in another organisation", async () => {
      const { name } = await make();
      expect(refused(await post({ name: `https://www.${name.toUpperCase()}./` }))).to.deep.equal([
        409,
        "conflict",
        "errors.conflict",
        { name: "errors.conflict" },
      ]);
      const other = await service.tenant();
      await makeDomain(other, { name });
    });

    it("refuses a client, a provider and a party that are not there", async () => {
      const other = await service.tenant();
      const foreign = { company: (await other.company()).id, provider: await providerOf(service, other, "dns") };
      for (const company_id of [randomUUID(), foreign.company])
        expect(refused(await post({ company_id }))).to.deep.equal(NOT_FOUND);
      const email = await providerOf(service, tenant, "email");
      for (const values of [
        { dns_provider_id: randomUUID() },
        { dns_provider_id: foreign.provider },
        { dns_provider_id: email },
        { registrar_provider_id: email },
        { email_enabled: true, email_provider_id: foreign.provider },
      ])
        expect(refused(await post(values)), JSON.stringify(values)).to.deep.equal(BAD_PROVIDER);
      for (const registry_contact of [
        { type: "agency", id: company.id },
        { type: "contact" },
        { type: "company", id: foreign.company },
        { type: "employee", id: randomUUID() },
      ])
        expect(refused(await post({ registry_contact })), JSON.stringify(registry_contact)).to.deep.equal(BAD_PARTY);
    });

    it("takes an address that a redirect may have, and no other", async () => {
      expect((await make({ redirect_url: "  https://elders.example/pad " })).redirect_url).to.equal("https://elders.example/pad");
      expect((await make({ redirect_url: "  " })).redirect_url).to.equal(null);
      for (const redirect_url of ["javascript:alert(1)", "x".repeat(513)])
        expect(refused(await post({ redirect_url }))).to.deep.equal(unfit({ redirect_url: "errors.validation" }));
    });

    it("refuses a redirect without a host, and changes no domain to one", async () => {
      const { id } = await make({ redirect_url: "www.elders.example:8443/pad?x" });
      const noHost = ["https://", "https:///pad", "https://?x", "https://.", "/pad", "#x", "elders", "mailto:x@elders.example"];
      for (const redirect_url of noHost) {
        const wrong = unfit({ redirect_url: "errors.invalid_url" });
        expect(refused(await post({ redirect_url })), redirect_url).to.deep.equal(wrong);
        expect(refused(await tenant.owner.patch(`/domains/${id}`, { redirect_url })), redirect_url).to.deep.equal(wrong);
      }
    });

    it("shows the TLD in Unicode, on a domain and in the prices, for either form sent", async () => {
      const made = await make({ name: "bücher.рф" });
      expect([made.name, made.tld]).to.deep.equal(["bücher.рф", "рф"]);
      const { body: price } = await tenant.owner.post("/domains/tld-prices", { tld: "xn--p1ai", amount: 12 });
      expect(price.tld).to.equal("рф");
      const { body: groups } = await tenant.owner.get("/domains/tld-prices");
      const group = groups.find(({ tld }: { tld: string }) => tld === "рф");
      expect([group.domain_count, group.current.tld]).to.deep.equal([1, "рф"]);
      expect((await tenant.owner.get(`/domains/${made.id}`)).body).to.include({ tld: "рф", resolved_price: "12.00" });
      const body = { mode: "percent", value: 10, valid_from: "2099-01-01", tld: "рф" };
      const raised = await tenant.owner.post("/domains/tld-prices/price-increase", body);
      expect(raised.body.items.map(({ tld }: { tld: string }) => tld)).to.deep.equal(["рф"]);
      const { rows } = await service.sql.query(
        "select distinct tld from tld_prices where organisation_id = $1 and tld like 'xn--%'",
        [tenant.organisation.id],
      );
      expect(rows).to.deep.equal([{ tld: "xn--p1ai" }]);
      await tenant.owner.delete(`/domains/${made.id}`);
    });

    it("accepts a price up to the largest the tables store", async () => {
      expect((await make({ price_override: 18.4 })).price_override).to.equal("18.40");
      expect((await make({ price_override: "9999999999.99" })).price_override).to.equal("9999999999.99");
      for (const price_override of [-0.01, "10000000000"])
        expect(refused(await post({ price_override }))).to.deep.equal(unfit({ price_override: "errors.validation" }));
    });

    it("lets mail have a provider and a contact only where there is mail", async () => {
      const email_provider_id = await providerOf(service, tenant, "email", "Postbus");
      const email_contact = { type: "company" };
      const without = await make({ email_provider_id, email_contact });
      expect([without.email_provider_id, without.email_contact]).to.deep.equal([null, null]);
      const plain = await make({ email_enabled: true });
      expect(plain.email_contact.type).to.equal("agency");
      const whole = await make({ email_enabled: true, email_provider_id, email_contact });
      expect([whole.email_provider_name, whole.email_contact]).to.deep.equal([
        "Postbus",
        { type: "company", id: null, label: "Vela Works" },
      ]);
    });

    it("says when it is renewed as its status allows", async () => {
      const dates = async (values: object) => (await make(values)).next_invoice_date;
      expect(await dates({ start_date: "2024-02-29" })).to.equal("2027-02-28");
      expect(await dates({ next_invoice_date: "2020-01-01" })).to.equal("2020-01-01");
      expect(await dates({ status: "expired", next_invoice_date: "2030-01-01" })).to.equal(null);
    });
  });

  describe("PATCH /domains/{domain_id}", () => {
    it("refuses null where there must be something", async () => {
      const { id } = await make();
      for (const field of ["name", "company_id", "status", "start_date", "email_enabled"])
        expect(refused(await patch(id, { [field]: null })), field).to.deep.equal(unfit({ [field]: "errors.validation" }));
      expect(refused(await patch(id, { name: "www" }))).to.deep.equal(unfit({ name: "errors.validation" }));
    });

    it("renames with its TLD, and records the readable form on the trail", async () => {
      const made = await make();
      const [, rest] = [made.id, randomUUID()];
      expect(await changed(made.id, { name: `Bücher-${rest}.co.uk` })).to.include({ name: `bücher-${rest}.co.uk`, tld: "co.uk" });
      const lines = await linesOf(service, "domain", made.id);
      expect(lines.slice(1)).to.deep.equal([["updated", { changes: { name: { from: made.name, to: `bücher-${rest}.co.uk` } } }]]);
    });

    it("accepts every status after every other and reports each change once", async () => {
      const { id, company_id, name } = await make();
      for (const status of ["redirect", "parked", "expired", "inactive", "active"]) await changed(id, { status });
      await changed(id, { status: "active" });
      expect((await eventsAbout(service, id)).map(({ event, payload }) => [event, payload])).to.deep.equal(
        [
          ["active", "redirect"],
          ["redirect", "parked"],
          ["parked", "expired"],
          ["expired", "inactive"],
          ["inactive", "active"],
        ].map(([from, to]) => ["domain.status_changed", { domain_id: id, company_id, name, from, to }]),
      );
      expect(await linesOf(service, "domain", id)).to.have.length(6);
    });

    it("moves the renewal date by the table of the chapter", async () => {
      const { id } = await make({ start_date: "2025-01-15" });
      const date = async (values: object) => (await changed(id, values)).next_invoice_date;
      expect(await date({ next_invoice_date: "2026-01-01" })).to.equal("2026-01-01");
      expect(await date({ start_date: "2024-03-01" })).to.equal("2026-01-01");
      expect(await date({ next_invoice_date: null })).to.equal("2027-03-01");
      expect(await date({ status: "expired" })).to.equal("2027-03-01");
      expect(await date({ next_invoice_date: null })).to.equal(null);
      expect(await date({ redirect_url: "zee.example" })).to.equal(null);
      expect(await date({ status: "parked", start_date: "2024-08-01" })).to.equal("2026-08-01");
    });

    it("takes the default from the register of the new name", async () => {
      const registers = registersOf(service, tenant);
      const name = anyName();
      await registers.listed(await registers.registrar(), name, { expires_on: "2026-12-24" });
      const { id } = await make({ start_date: "2024-02-29", invoiceable: true });
      const renamed = await changed(id, { name, next_invoice_date: null });
      expect([renamed.next_invoice_date, renamed.register_expires_on]).to.deep.equal(["2026-12-24", "2026-12-24"]);
    });

    it("clears provider and contact when mail ends, and leaves them alone while there is none", async () => {
      const email_provider_id = await providerOf(service, tenant, "email");
      const { id } = await make({ email_enabled: true, email_provider_id });
      const off = await changed(id, { email_enabled: false, email_provider_id });
      expect([off.email_provider_id, off.email_contact]).to.deep.equal([null, null]);
      const { updated_at } = await changed(id, { email_provider_id, email_contact: { type: "company" } });
      expect(updated_at).to.equal(off.updated_at);
      const on = await changed(id, { email_enabled: true });
      expect([on.email_provider_id, on.email_contact.type]).to.deep.equal([null, "agency"]);
      expect((await changed(id, { email_contact: null })).email_contact).to.equal(null);
    });

    it("leaves no trace where nothing changes", async () => {
      const made = await make({ price_override: "18.40", registry_contact: { type: "company" } });
      const { name, company_id, status, start_date, next_invoice_date, registry_contact } = made;
      const same = { name: `www.${name}`, company_id, status, start_date, next_invoice_date, price_override: 18.4 };
      const after = await changed(made.id, { ...same, registry_contact: { type: registry_contact.type } });
      expect(after).to.deep.equal(made);
      expect(await linesOf(service, "domain", made.id)).to.have.length(1);
    });

    it("records its tracked fields on the trail", async () => {
      const made = await make();
      const next = (await tenant.company({ name: "Next" })).id;
      const dns_provider_id = await providerOf(service, tenant, "dns");
      const values = {
        ...{ company_id: next, redirect_url: "zee.example", price_override: "18.40", invoiceable: false },
        ...{ auto_invoice_mode: "issue", dns_provider_id, start_date: "2025-01-01", next_invoice_date: "2027-01-01" },
      };
      await changed(made.id, { ...values, custom: {}, registry_contact: { type: "company" } });
      const [, [action, payload]] = (await linesOf(service, "domain", made.id)) as [unknown, [string, Body]];
      expect(action).to.equal("updated");
      expect(Object.keys(payload.changes).toSorted()).to.deep.equal(Object.keys(values).toSorted());
      expect(payload.changes.price_override).to.deep.equal({ from: null, to: "18.40" });
    });
  });

  describe("DELETE /domains/{domain_id}", () => {
    it("takes website, redirect and page links along, unlinks zones and register rows, and writes no line", async () => {
      const registers = registersOf(service, tenant);
      const { id, name } = await make();
      const website = await service.sql.query(
        "insert into websites (id, organisation_id, domain_id) values ($1, $2, $3) returning id",
        [randomUUID(), tenant.organisation.id, id],
      );
      const zone = await registers.zone(await registers.edge(null), name, id);
      const row = await registers.listed(await registers.registrar(null), name, { domain_id: id });
      expect((await tenant.owner.delete(`/domains/${id}`)).status).to.equal(204);
      expect(refused(await tenant.owner.get(`/domains/${id}`))).to.deep.equal(NOT_FOUND);
      const { rows } = await service.sql.query(
        `select (select count(*)::int from websites where id = $1) as websites,
          (select domain_id from edge_zones where id = $2) as zone, (select domain_id from registrar_domains where id = $3) as row`,
        [website.rows[0].id, zone, row],
      );
      expect(rows[0]).to.deep.equal({ websites: 0, zone: null, row: null });
      expect(await linesOf(service, "domain", id)).to.have.length(1);
    });
  });

  describe("to a restricted caller", () => {
    it("are those of its clients, at every door", async () => {
      const [mine, hidden] = [await make(), await makeDomain(tenant)];
      const member = await tenant.member("admin");
      await tenant.group("own", [company.id], [member.membershipId as string]);
      const listed = bodyOf(await member.get("/domains?limit=200"));
      const ids = listed.items.map(({ id }: Body) => id);
      expect(ids).to.include(mine.id).and.not.to.include(hidden.id);
      expect(listed.total).to.equal(ids.length);
      const empty = bodyOf(await member.get(`/domains?company_id=${hidden.company_id}`));
      expect([empty.items, empty.total]).to.deep.equal([[], 0]);
      for (const [method, body] of [["get"], ["patch", { status: "parked" }], ["delete"]] as const)
        expect(refused(await (member[method] as typeof member.patch)(`/domains/${hidden.id}`, body as object))).to.deep.equal(
          NOT_FOUND,
        );
      expect(refused(await member.post("/domains", { name: anyName(), company_id: hidden.company_id }))).to.deep.equal(NOT_FOUND);
      expect(refused(await member.patch(`/domains/${mine.id}`, { company_id: hidden.company_id }))).to.deep.equal(NOT_FOUND);
    });
  });

  describe("GET /domains", () => {
    it("omits everything but the domain itself without meta, while filters still apply", async () => {
      const registers = registersOf(service, tenant);
      const own = await service.tenant();
      const { listed, registrar } = registersOf(service, own);
      const held = await makeDomain(own, { price_override: 12, registry_contact: { type: "company" } });
      const free = await makeDomain(own);
      await listed(await registrar(), held.name, { expires_on: "2027-01-01" });
      expect(registers).to.be.an("object");
      const ids = async (query: string) => bodyOf(await own.owner.get(`/domains?${query}`)).items.map(({ id }: Body) => id);
      for (const meta of ["", "&meta=false"]) {
        expect(await ids(`invoiceable=true${meta}`)).to.deep.equal([held.id]);
        expect(await ids(`invoiceable=false${meta}`)).to.deep.equal([free.id]);
      }
      const [bare] = bodyOf(await own.owner.get("/domains?meta=false&invoiceable=true")).items;
      expect(bare).to.deep.equal({
        ...(await own.owner.get(`/domains/${held.id}`)).body,
        ...{ company_name: "", registrar_provider_name: null, dns_provider_name: null, email_provider_name: null },
        ...{ registry_contact: null, email_contact: null, register_expires_on: null, resolved_price: null },
        ...{ resolved_currency: null, registers: [], invoiceable_source: "default", invoiceable_effective: true },
      });
      await own.owner.patch(`/domains/${held.id}`, { invoiceable: false });
      const [said] = bodyOf(await own.owner.get(`/domains?meta=false&q=${held.name}`)).items;
      expect([said.invoiceable_effective, said.invoiceable_source]).to.deep.equal([false, "explicit"]);
    });

    it("filters by status, and by a status there is not to nothing", async () => {
      const own = await service.tenant();
      const parked = await makeDomain(own, { status: "parked" });
      await makeDomain(own);
      const total = async (query: string) => bodyOf(await own.owner.get(`/domains?${query}`)).total;
      expect([await total("status=parked"), await total("status=unheard"), await total("status=")]).to.deep.equal([1, 0, 2]);
      expect(bodyOf(await own.owner.get("/domains?status=parked")).items[0].id).to.equal(parked.id);
    });

    it("sorts registrar and DNS by the name that is printed, empty last in both directions", async () => {
      const own = await service.tenant();
      const [alfa, zulu] = [await providerOf(service, own, "dns", "alfa"), await providerOf(service, own, "dns", "Zulu")];
      const made = [
        await makeDomain(own, { dns_provider_id: zulu }),
        await makeDomain(own, { dns_provider_id: alfa }),
        await makeDomain(own),
      ];
      const ids = async (sort: string) => bodyOf(await own.owner.get(`/domains?sort=${sort}`)).items.map(({ id }: Body) => id);
      expect(await ids("dns")).to.deep.equal([made[1].id, made[0].id, made[2].id]);
      expect(await ids("-dns")).to.deep.equal([made[0].id, made[1].id, made[2].id]);
    });
  });

  it("answer the stored values to a read after a write", async () => {
    const made = await make();
    expect(await get(made.id)).to.deep.equal(made);
  });
});
