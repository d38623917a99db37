import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { errorsOf, fetchSheet, importSheet, sendSheet } from "../../../support/impex.ts";
import type { Tenant } from "../../../support/service.ts";
import { type AgreementService, linesOf, sharedAgreementService } from "../../money/agreements/agreement-records.ts";
import { type Body, bodyOf } from "../../work/tasks/task-records.ts";
import { makeDomain, providerOf } from "./domain-records.ts";

const PRICES = "/domains/tld-prices";

describe("domains and prices of TLDs as spreadsheets", function () {
  this.timeout(60_000);
  let service: AgreementService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedAgreementService("2026-06-10");
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const listed = async (query = ""): Promise<Body[]> => bodyOf(await tenant.owner.get(`/domains?${query}`)).items;
  const exported = async (entity: string): Promise<string> =>
    String(await fetchSheet(service.port, tenant.host, tenant.owner.key, `/impex/${entity}`));

  it("make domains by the rules of the API, in the words of the file", async () => {
    const ant = await tenant.company({ name: "Ant" });
    const registrar = await providerOf(service, tenant, "registrar", "Oxxa");
    await providerOf(service, tenant, "dns", "Oxxa");
    const file =
      "Domeinnaam;Klant;Status;Startdatum;Prijs;Registrar;E-mail;Factureren\nhttps://www.Grüne-Äpfel.example/x;Ant;Actief;29-02-2024;18,40;oxxa;nee;ja\n";
    expect(await importSheet(tenant.owner, "domain", file)).to.include({ rows: 1, created: 1 });
    const [made] = await listed();
    expect(made).to.include({
      name: "grüne-äpfel.example",
      company_id: ant.id,
      status: "active",
      start_date: "2024-02-29",
      next_invoice_date: "2027-02-28",
      price_override: "18.40",
      registrar_provider_id: registrar,
      registrar_provider_name: "Oxxa",
      email_enabled: false,
      invoiceable: true,
    });
    expect(await linesOf(service, "domain", made.id)).to.deep.equal([["created", {}]]);
  });

  it("import an export of domains again, and change nothing", async () => {
    const dns_provider_id = await providerOf(service, tenant, "dns", "Twice");
    await providerOf(service, tenant, "dns", "twice");
    const email_provider_id = await providerOf(service, tenant, "email");
    await makeDomain(tenant, { dns_provider_id, price_override: 5, redirect_url: "zee.example", auto_invoice_mode: "issue" });
    await makeDomain(tenant, { name: `ä-${randomUUID()}.example`, email_enabled: true, email_provider_id, status: "expired" });
    const sheet = await exported("domain");
    expect(await importSheet(tenant.owner, "domain", sheet)).to.include({ rows: 2, created: 0, updated: 0, unchanged: 2 });
    for (const { id } of await listed()) expect(await linesOf(service, "domain", id)).to.have.length(1);
    // Without ids the names find them.
    const bare = sheet.replaceAll(/^(\uFEFF?)[^,\n]*,/gm, "$1");
    expect(await importSheet(tenant.owner, "domain", bare)).to.include({ unchanged: 2 });
  });

  it("change what differs, by name or by id", async () => {
    const made = await makeDomain(tenant, { next_invoice_date: "2027-01-01" });
    expect(await importSheet(tenant.owner, "domain", `name,status\nhttps://www.${made.name}/,geparkeerd\n`)).to.include({
      updated: 1,
    });
    expect(await importSheet(tenant.owner, "domain", `id,name\n${made.id},nieuw-${made.name}\n`)).to.include({ updated: 1 });
    const [after] = await listed();
    expect([after.id, after.status, after.name]).to.deep.equal([made.id, "parked", `nieuw-${made.name}`]);
  });

  it("name the errors of a row of a domain by its column, and write nothing", async () => {
    await tenant.company({ name: "Ant" });
    const held = await makeDomain(tenant);
    const other = await makeDomain(tenant);
    const rows = [
      "id,name,company,price_override,dns_provider,status",
      ",a_b.example,Ant,,,",
      ",b.example,Nobody,,,",
      ",c.example,Ant,-1,,",
      ",d.example,Ant,,unheard,",
      ",e.example,,,,",
      ",f.example,Ant,,,",
      ",www.F.example,Ant,,,",
      `${other.id},${held.name},,,,`,
    ];
    const { body } = await sendSheet(tenant.owner, "domain", `${rows.join("\n")}\n`, "?dry_run=false");
    expect(errorsOf(body)).to.deep.equal([
      "2 name errors.validation",
      "3 company impex.errors.unresolved_reference",
      "4 price_override errors.validation",
      "5 dns_provider impex.errors.unresolved_reference",
      "6 company errors.required",
      "7 name errors.duplicate",
      "8 name errors.duplicate",
      "9 name errors.conflict",
    ]);
    expect(await listed()).to.have.length(2);
  });

  it("are of clients that the caller sees", async () => {
    const [seen, hidden] = [await makeDomain(tenant), await makeDomain(tenant)];
    const admin = await tenant.member("admin");
    await tenant.group("Narrow", [seen.company_id], [admin.membershipId as string]);
    const sheet = String(await fetchSheet(service.port, tenant.host, admin.key, "/impex/domain"));
    expect([sheet.includes(seen.id), sheet.includes(hidden.id)]).to.deep.equal([true, false]);
    const stolen = `name,company,status\n${hidden.name},${seen.company_name},parked\n`;
    const { body } = await sendSheet(admin, "domain", stolen, "?dry_run=false");
    expect(errorsOf(body)).to.deep.equal(["2 name errors.conflict"]);
    expect(bodyOf(await tenant.owner.get(`/domains/${hidden.id}`)).status).to.equal("active");
  });

  it("do not bring the id of a domain again that is not the caller's to see", async () => {
    const [hidden, seen] = [await tenant.company(), await tenant.company()];
    const admin = await tenant.member("admin");
    await tenant.group("Narrow", [seen.id], [admin.membershipId as string]);
    const given = randomUUID();
    const fileOf = (company: string) => `id,name,company\n${given},new-${randomUUID()}.example,${company}\n`;
    expect(await importSheet(tenant.owner, "domain", fileOf(hidden.id))).to.include({ created: 1 });
    const { body } = await sendSheet(admin, "domain", fileOf(seen.id), "?dry_run=false");
    expect(errorsOf(body)).to.deep.equal(["2 id errors.not_found"]);
    expect(await listed()).to.have.length(1);
  });

  it("take two thousand domains at once, and the same again without a change", async () => {
    await tenant.company({ name: "Ant" });
    await providerOf(service, tenant, "registrar", "Oxxa");
    const rows = Array.from(
      { length: 2000 },
      (_, n) => `winkel-${n}.${["nl", "com", "eu"][n % 3]},Ant,${n % 40}.95,Oxxa,2024-0${1 + (n % 9)}-15`,
    );
    const file = `name,company,price_override,registrar,start_date\n${rows.join("\n")}\n`;
    expect(await importSheet(tenant.owner, "domain", file)).to.include({ rows: 2000, created: 2000 });
    expect(await importSheet(tenant.owner, "domain", await exported("domain"))).to.include({ rows: 2000, unchanged: 2000 });
    expect(bodyOf(await tenant.owner.get("/domains?q=winkel-1999")).total).to.equal(1);
  });

  describe("of prices", () => {
    it("correct the price of a day and add those of others, as the API does", async () => {
      bodyOf(await tenant.owner.post(PRICES, { tld: "nl", amount: 8, valid_from: "2026-01-01" }));
      const file = "Extensie;Prijs;Geldig vanaf\n.NL;9,95;01-01-2026\nnl;10,50;01-09-2026\nshop;31;\n";
      expect(await importSheet(tenant.owner, "tld_price", file)).to.include({ rows: 3, created: 2, updated: 1 });
      const groups = bodyOf(await tenant.owner.get(PRICES));
      expect(
        groups.map(({ tld, current, upcoming }: Body) => [tld, current.amount, upcoming.map(({ amount }: Body) => amount)]),
      ).to.deep.equal([
        ["nl", "9.95", ["10.50"]],
        ["shop", "31.00", []],
      ]);
      expect(groups[1].current.valid_from).to.equal("2026-06-10");
      expect(await importSheet(tenant.owner, "tld_price", await exported("tld_price"))).to.include({ rows: 3, unchanged: 3 });
    });

    it("name the errors of a row by its column, and write nothing", async () => {
      const { id } = bodyOf(await tenant.owner.post(PRICES, { tld: "nl", amount: 8, valid_from: "2026-01-01" }));
      const rows = [
        "id,tld,amount,currency,valid_from",
        ",n_l,1,,2026-01-01",
        ",eu,-1,,2026-01-01",
        ",com,1,USD,2026-01-01",
        ",be,1,,2026-01-01",
        ",.BE,2,,2026-01-01",
        `${id},nl,9,,2026-02-01`,
      ];
      const { body } = await sendSheet(tenant.owner, "tld_price", `${rows.join("\n")}\n`, "?dry_run=false");
      expect(errorsOf(body)).to.deep.equal([
        "2 tld errors.validation",
        "3 amount errors.validation",
        "4 currency errors.validation",
        "5 valid_from errors.duplicate",
        "6 valid_from errors.duplicate",
        "7 id errors.conflict",
      ]);
      expect(bodyOf(await tenant.owner.get(PRICES))).to.have.length(1);
    });
  });
});
