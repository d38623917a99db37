import { expect } from "chai";
import { cellsOf, errorsOf, fetchSheet, importSheet, sendSheet } from "../../../support/impex.ts";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";

describe("products as a spreadsheet", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const run = (content: string) => importSheet(tenant.owner, "product", content);
  const tried = async (content: string) => errorsOf((await sendSheet(tenant.owner, "product", content)).body);
  const products = async () => (await tenant.owner.get("/invoicing/products?include_inactive=true")).body;
  const exported = async (query = "", of = tenant) =>
    (await fetchSheet(service.port, of.host, of.owner.key, `/impex/product${query}`)).toString().replace(/^\ufeff/, "");
  const rates = async () => (await tenant.owner.get("/invoicing/tax-rates")).body as { id: string; rate: string }[];

  it("import with Dutch headers, tax by name or percentage, and change nothing the second time", async () => {
    const [high, low, zero] = await rates();
    const file = [
      "Artikelnummer;Omschrijving;Productnaam;Eenheid;Prijs;BTW;Actief;Volgorde",
      'A1;"Een\nTwee";Uren;uur;"1.084,50";21%;ja;1',
      "A2;;Drukwerk;;12.5;9% BTW;nee;",
      `;;Reis;km;0,23;${zero?.id};;`,
      "",
    ].join("\n");
    expect(await tried(file)).to.deep.equal([]);
    expect(await run(file)).to.deep.include({ rows: 3, created: 3, errors: [], ignored_columns: [] });
    const [print, travel, hours] = await products();
    expect(hours).to.deep.include({
      name: "Uren",
      code: "A1",
      description: "Een\nTwee",
      unit: "uur",
      unit_price: "1084.50",
      tax_rate_id: high?.id,
      active: true,
      position: 1,
    });
    expect(print).to.deep.include({ name: "Drukwerk", code: "A2", unit_price: "12.50", tax_rate_id: low?.id, active: false });
    expect(travel).to.deep.include({
      name: "Reis",
      code: null,
      unit_price: "0.23",
      tax_rate_id: zero?.id,
      active: true,
      position: 0,
    });
    expect(await run(file)).to.include({ created: 0, updated: 0, unchanged: 3 });
    expect(await run("name,price\nreis,0.25\n")).to.include({ updated: 1 });
    expect(await run("code,name\nA2,Print\n")).to.include({ updated: 1 });
    expect((await products()).map(({ name, unit_price }: Record<string, string>) => [name, unit_price])).to.deep.equal([
      ["Print", "12.50"],
      ["reis", "0.25"],
      ["Uren", "1084.50"],
    ]);
  });

  it("export and import again, here and elsewhere", async () => {
    const [high] = await rates();
    await tenant.owner.post("/invoicing/products", { name: "=Uren", code: "A1", unit_price: 84, tax_rate_id: high?.id });
    await tenant.owner.post("/invoicing/products", { name: "Gone", active: false });
    const file = await exported("?include_inactive=true");
    const [header, hours, gone] = file.trim().split("\r\n");
    expect(header).to.equal("id,code,name,description,unit,unit_price,tax_rate,active,position");
    expect(gone).to.match(/^[0-9a-f-]{36},,Gone,,,0\.00,,no,0$/);
    expect(hours).to.match(/^[0-9a-f-]{36},A1,'=Uren,,,84\.00,21% VAT,yes,0$|^[0-9a-f-]{36},A1,'=Uren,,,84\.00,21% btw,yes,0$/);
    expect((await exported()).trim().split("\r\n").length).to.equal(2);
    expect(await tried(file)).to.deep.equal([]);
    expect(await run(file)).to.include({ unchanged: 2 });
    const cells = await cellsOf(
      await fetchSheet(service.port, tenant.host, tenant.owner.key, "/impex/product?format=xlsx&include_inactive=true"),
    );
    expect(cells[1]?.slice(1, 6)).to.deep.equal(["A1", "=Uren", undefined, undefined, 84]);
    const other = await service.tenant();
    await other.owner.get("/invoicing/tax-rates");
    expect(await importSheet(other.owner, "product", file)).to.include({ created: 2 });
    expect(await importSheet(other.owner, "product", file)).to.include({ created: 0, unchanged: 2 });
  });

  it("are refused as their body would be, by column, and none is written", async () => {
    await rates();
    await tenant.owner.post("/invoicing/products", { name: "One", code: "A" });
    await tenant.owner.post("/invoicing/products", { name: "Two", code: "B" });
    await tenant.owner.post("/invoicing/products", { name: "Same" });
    await tenant.owner.post("/invoicing/products", { name: "same" });
    const ids = Object.fromEntries((await products()).map(({ id, name }: Record<string, string>) => [name, id]));
    const file = [
      "id,name,code,price,tax,active,unit",
      ",Minus,,-1,,,",
      ",Word,,much,,,",
      ",Rate,,,No such rate,,",
      ",Two codes,X,,,,",
      ",Two codes again,X,,,,",
      ",Same,,,,,",
      `${ids["One"]},One,B,,,,`,
      `,Unit,,,,perhaps,`,
      `,Long,,,,,${"u".repeat(21)}`,
      ",Zero,,,0,,",
      ",Fine,,,,,",
      "",
    ].join("\n");
    expect(await tried(file)).to.deep.equal([
      "2 unit_price errors.validation",
      "3 unit_price impex.errors.invalid_number",
      "4 tax_rate impex.errors.unresolved_reference",
      "5 code errors.duplicate",
      "6 code errors.duplicate",
      "8 code errors.duplicate",
      "9 active impex.errors.invalid_bool",
      "10 unit errors.validation",
      "11 tax_rate impex.errors.unresolved_reference",
    ]);
    expect((await sendSheet(tenant.owner, "product", file, "?dry_run=false")).body).to.include({ created: 0, updated: 0 });
    expect((await products()).length).to.equal(4);
  });

  it("need the permissions of settings and of spreadsheets", async () => {
    const reader = await tenant.member("member", { grants: ["invoicing.invoice.read:any", "impex.export", "impex.import"] });
    expect((await reader.get("/impex/product")).status).to.equal(200);
    expect((await reader.get("/impex/product/template")).status).to.equal(403);
    expect((await sendSheet(reader, "product", "name\nOne\n")).status).to.equal(403);
    const own = await tenant.member("member", { grants: ["invoicing.invoice.read:own", "impex.export"] });
    expect((await own.get("/impex/product")).status).to.equal(403);
    const manager = await tenant.member("member", { grants: ["invoicing.settings.manage", "impex.import"] });
    expect((await sendSheet(manager, "product", "name\nOne\n")).body).to.include({ created: 1 });
  });
});
