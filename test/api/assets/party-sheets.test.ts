import { expect } from "chai";
import { errorsOf, fetchSheet, importSheet, sendSheet } from "../../support/impex.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";

describe("parties in spreadsheets of domains, websites and hosting", () => {
  let service: TestService;

  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());

  /** An organisation with a client, another one and a contact. */
  async function filled() {
    const tenant = await service.tenant();
    await tenant.company({ name: "Bakker", client_number: "K-1" });
    await tenant.company({ name: "Slager", client_number: "K-2" });
    const jan = { first_name: "Jan", email: "jan@b.example" };
    expect((await tenant.owner.post("/contacts", jan)).status).to.equal(201);
    return tenant;
  }
  const exported = async (tenant: Tenant, entity: string) =>
    (await fetchSheet(service.port, tenant.host, tenant.owner.key, `/impex/${entity}`)).toString();

  it("of hosting import by kind and name too, and export the same", async () => {
    const tenant = await filled();
    const file = `name;company;contact\nh1;K-1;contact: jan@b.example\nh2;K-1;klant\nh3;K-1;${tenant.owner.email}\nh4;K-1;\n`;
    expect(await importSheet(tenant.owner, "hosting", file)).to.deep.include({ created: 4, errors: [] });
    const { items } = (await tenant.owner.get("/hosting?sort=name")).body;
    const parties = items.map(({ contact }: { contact: { type: string; label: string } | null }) => contact?.type ?? null);
    expect(parties).to.deep.equal(["contact", "company", "employee", null]);
    const out = await exported(tenant, "hosting");
    for (const word of ["contact: jan@b.example", "company", `employee: ${tenant.owner.email}`]) expect(out).to.contain(word);
    for (const again of [file, out]) expect(await importSheet(tenant.owner, "hosting", again)).to.include({ unchanged: 4 });
    const wrong = (await sendSheet(tenant.owner, "hosting", "name;contact\nx;contact: none@b.example\n")).body;
    expect(errorsOf(wrong)).to.deep.equal(["2 contact impex.errors.unresolved_reference"]);
  });

  it("import by kind and name, export the same, and change nothing the second time", async () => {
    const tenant = await filled();
    const file = [
      "name;company;registry_contact;email_enabled;email_contact",
      "a.nl;K-1;agency;ja;contact: jan@b.example",
      "b.nl;K-1;klant;ja;company: K-2",
      `c.nl;K-1;Contactpersoon: JAN@b.example;ja;${tenant.owner.email}`,
      "d.nl;K-1;slager;nee;",
    ].join("\n");
    expect(await importSheet(tenant.owner, "domain", file)).to.deep.include({ created: 4, errors: [] });
    const shown = (await tenant.owner.get("/domains?sort=name")).body.items.map(
      (one: Record<string, { type: string; label: string } | null>) =>
        ["registry_contact", "email_contact"].map((party) => one[party] && [one[party]?.type, one[party]?.label].join(" ")),
    );
    expect(shown[0]?.[1]).to.equal("contact Jan");
    expect(shown[1]).to.deep.equal(["company Bakker", "company Slager"]);
    expect([shown[2]?.[0], shown[2]?.[1].split(" ")[0]]).to.deep.equal(["contact Jan", "employee"]);
    expect(shown[3]?.[0]).to.equal("company Slager");
    expect(await importSheet(tenant.owner, "domain", file)).to.include({ unchanged: 4 });

    const sites = "domain;technical_owner\na.nl;bureau\nb.nl;company\nc.nl;contact: jan@b.example\n";
    expect(await importSheet(tenant.owner, "website", sites)).to.deep.include({ created: 3, errors: [] });
    for (const [entity, rows] of [
      ["domain", 4],
      ["website", 3],
    ] as const) {
      const out = await exported(tenant, entity);
      expect(out).to.contain("contact: jan@b.example");
      expect(await importSheet(tenant.owner, entity, out)).to.include({ unchanged: rows });
    }
    // Elsewhere the words mean who is called so there.
    const other = await filled();
    const moved = (await exported(tenant, "domain")).replaceAll(`employee: ${tenant.owner.email}`, "agency");
    expect(await importSheet(other.owner, "domain", moved)).to.deep.include({ created: 4, errors: [] });
    expect(await importSheet(other.owner, "website", await exported(tenant, "website"))).to.include({ created: 3 });
  });

  it("that are not there, or of another organisation, are refused by column", async () => {
    const [tenant, other] = [await filled(), await filled()];
    const contact = (await other.owner.get("/contacts")).body.items[0].id;
    const cells = [
      "contact: nobody@x.example",
      `contact: ${contact}`,
      `employee: ${other.owner.email}`,
      "company: K-9",
      "agency: x",
    ];
    const file = `name;company;registry_contact\n${cells.map((cell, index) => `x${index}.nl;K-1;${cell}`).join("\n")}\n`;
    expect(errorsOf((await sendSheet(tenant.owner, "domain", file)).body)).to.deep.equal([
      "2 registry_contact impex.errors.unresolved_reference",
      "3 registry_contact impex.errors.unresolved_reference",
      "4 registry_contact impex.errors.unresolved_reference",
      "5 registry_contact impex.errors.unresolved_reference",
      "6 registry_contact errors.validation",
    ]);
  });
}).timeout(60_000);
