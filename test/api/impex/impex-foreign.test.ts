import { expect } from "chai";
import { errorsOf, importSheet, sendSheet } from "../../support/impex.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";

/** Exports of other tools by the columns those write, without a mapping (conventions §22); the files of `samples/` have a test of their own. */
describe("foreign exports", () => {
  let service: TestService;
  let tenant: Tenant;

  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const rows = (...lines: readonly (readonly string[])[]) =>
    `${lines.map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(",")).join("\r\n")}\r\n`;
  const items = async (path: string) => (await tenant.owner.get(path)).body.items;
  const companies = () => items("/companies?sort=name");
  const take = async (entity: string, file: string, query = "") => {
    const answer = await sendSheet(tenant.owner, entity, file, `?dry_run=false${query}`);
    expect(errorsOf(answer.body), answer.text).to.deep.equal([]);
    return answer.body;
  };
  const left = ({ left_out: all }: { left_out: { row: number; column: string; value: string }[] }) =>
    all.map(({ row, column, value }) => `${row} ${column} ${value}`);

  it("of Pipedrive: organisations", async () => {
    const of = (part: string) => `Organization - ${part} of Address`;
    const file = rows(
      [
        ...["Organization - ID", "Organization - Name", "Organization - Label", "Organization - Address"],
        ...[of("Apartment/suite no"), of("House number"), of("Street/road name"), of("City/town/village/locality")],
        ...[of("Country"), of("ZIP/Postal code"), "Organization - People"],
      ],
      [
        ...["12", "Bakker", "Klant", "Dorpsstraat 1, 3511 AA Utrecht, Netherlands", "", "1", "Dorpsstraat", "Utrecht"],
        ...["Netherlands", "3511 AA", "2"],
      ],
    );
    const report = await take("company", file);
    expect(report).to.include({ created: 1 });
    expect(report.left_out).to.deep.equal([]);
    expect((await companies())[0]).to.include({
      ...{
        name: "Bakker",
        address_line1: "Dorpsstraat",
        house_number: "1",
        postal_code: "3511 AA",
        city: "Utrecht",
        country: "NL",
      },
    });
    expect((await take("company", file)).unchanged).to.equal(1);
  });

  it("of Pipedrive: people", async () => {
    const file = rows(
      [
        ...["Person - ID", "Person - Name", "Person - First name", "Person - Last name", "Person - Organization"],
        ...[
          "Person - Phone - Work",
          "Person - Phone - Mobile",
          "Person - Email - Work",
          "Person - Email - Home",
          "Person - Job title",
        ],
      ],
      ["7", "Jan de Vries", "Jan", "de Vries", "Bakker", "030-2300000", "06-12345678", "jan@b.example", "jan@p.example", "Chef"],
      ["8", "Eva Bos", "Eva", "Bos", "", "", "06-22345678", "", "eva@p.example", ""],
    );
    const report = await take("contact", file, "&create_companies=true");
    expect(report).to.include({ created: 2, also_created: 1 });
    expect(left(report)).to.deep.equal([]);
    expect((await items("/contacts?q=jan"))[0]).to.deep.include({
      ...{ first_name: "Jan", last_name: "de Vries", job_title: "Chef", email: "jan@b.example", phone: "+31302300000" },
      ...{
        other_emails: [{ label: "home", email: "jan@p.example" }],
        other_phones: [{ label: "mobile", phone: "+31612345678" }],
      },
    });
    expect((await take("contact", file)).unchanged).to.equal(2);
  });

  for (const [tool, header, types, lost] of [
    [
      "Zoho",
      "Record Id,Account Name,Account Number,Account Type,Phone,Website,Billing Street,Billing City,Billing State,Billing Code,Billing Country,Description",
      ["Customer", "Prospect", "Supplier"],
      ["Supplier"],
    ],
    [
      "Salesforce",
      "Id,Name,AccountNumber,Type,Phone,Website,BillingStreet,BillingCity,BillingState,BillingPostalCode,BillingCountry,Description",
      ["Customer - Direct", "Prospect", "Technology Partner"],
      ["Customer - Direct", "Technology Partner"],
    ],
  ] satisfies [string, string, string[], string[]][])
    it(`of ${tool}: accounts with billing address, number and type`, async () => {
      const account = (index: number) => [
        ...[`zcrm_${index}`, `Klant ${index}`, `A-${index}`, types[index] as string, "030-2300000", "https://x.example"],
        ...[index === 0 ? "Dorpsstraat 1\n2e etage" : "Dorpsstraat 1", "Utrecht", "UT", "3511 AA", "Netherlands", "Oud"],
      ];
      const file = rows(header.split(","), account(0), account(1), account(2));
      const report = await take("company", file);
      expect(report).to.include({ created: 3 });
      // A customer is active, however they came; what else the word says is named.
      expect(left(report)).to.deep.equal(
        types.flatMap((type, index) => (lost.includes(type) ? `${index + 2} status ${type}` : [])),
      );
      const [first, second, third] = await companies();
      expect(first).to.include({
        ...{ client_number: "A-0", status: "active", address_line1: "Dorpsstraat 1", address_line2: "2e etage" },
        ...{ postal_code: "3511 AA", city: "Utrecht", country: "NL", notes: "Oud" },
      });
      expect([second.status, third.status]).to.deep.equal(["lead", "active"]);
      expect((await take("company", file)).unchanged).to.equal(3);
    });

  const ODOO = rows(
    [
      "Name",
      "Is a Company",
      "Related Company",
      "Job Position",
      "Email",
      "Phone",
      "Mobile",
      "Street",
      "Street2",
      "Zip",
      "City",
      "Country",
      "Tax ID",
    ],
    [
      "Bakker",
      "True",
      "",
      "",
      "info@b.example",
      "030-2300000",
      "",
      "Dorpsstraat 1",
      "2e etage",
      "3511 AA",
      "Utrecht",
      "Netherlands",
      "NL800000000B01",
    ],
    ["Jan de Vries", "False", "Bakker", "Chef", "jan@b.example", "", "06-12345678", "", "", "", "", "", ""],
    ["Eva Bos", "False", "", "", "eva@x.example", "", "", "", "", "", "", "", ""],
  );

  it("of Odoo: the companies of a mixed list, and private persons", async () => {
    const report = await take("company", ODOO);
    expect(report).to.include({ rows: 3, created: 2 });
    expect(left(report)).to.deep.equal(["3 name Jan de Vries (Bakker)"]);
    const [bakker, eva] = await companies();
    expect(bakker).to.include({ name: "Bakker", address_line2: "2e etage", invoice_email: "info@b.example", country: "NL" });
    expect(eva.name).to.equal("Eva Bos");
    expect(await take("company", ODOO)).to.include({ created: 0, unchanged: 2 });
  });

  it("of Odoo: the persons of a mixed list", async () => {
    const report = await take("contact", ODOO, "&create_companies=true");
    expect(report).to.include({ rows: 3, created: 2, also_created: 1 });
    expect(left(report)).to.deep.equal(["2 is_company Bakker"]);
    const [eva, jan] = await items("/contacts?sort=first_name");
    expect(jan).to.include({ first_name: "Jan", last_name: "de Vries", job_title: "Chef", phone: "+31612345678" });
    expect(jan.companies[0].name).to.equal("Bakker");
    expect(eva.companies).to.deep.equal([]);
    const typed = ODOO.replace("Is a Company", "Company Type").replaceAll("False", "Individual").replaceAll("True", "Company");
    expect(await take("contact", typed)).to.include({ created: 0, unchanged: 2 });
  });

  it("of Teamleader: companies with their number and national number", async () => {
    const file = rows(
      [
        "Nummer",
        "Naam",
        "Nationaal identificatienummer",
        "BTW-nummer",
        "E-mail",
        "Telefoon",
        "Straat",
        "Postcode",
        "Stad",
        "Land",
      ],
      ["17", "Bakker", "0123.456.789", "BE0123456789", "info@b.example", "09 223 13 13", "Dorpsstraat 1", "9000", "Gent", "BE"],
    );
    expect(await take("company", file)).to.deep.include({ created: 1, ignored_columns: [], left_out: [] });
    expect((await companies())[0]).to.include({ client_number: "17", coc_number: "0123.456.789", city: "Gent" });
  });

  it("of Exact: codes padded to eighteen characters", async () => {
    await tenant.owner.post("/companies", { name: "Slager", client_number: "1002" });
    const padded = (code: string) => code.padStart(18);
    const file = rows(["Code", "Naam"], [padded("1001"), "Bakker"], [padded("1002"), "Slagerij"]);
    expect(await take("company", file)).to.include({ created: 1, updated: 1 });
    expect((await companies()).map(({ client_number: number }: Record<string, string>) => number)).to.deep.equal([
      "1001",
      "1002",
    ]);
    const people = rows(["Voornaam", "Klantnummer"], ["Jan", padded("1001")]);
    expect(await take("contact", people)).to.include({ created: 1 });
  });

  for (const [registrar, header, line] of [
    [
      "TransIP",
      ["Domeinnaam", "Status", "Registratiedatum", "Verloopdatum"],
      ["bakker.nl", "Actief", "01-02-2020", "01-02-2027"],
    ],
    [
      "Namecheap",
      ["Domain Name", "Domain expiration date", "Domain creation date", "Status", "Auto-renew"],
      ["bakker.nl", "2027-02-01 00:00:00", "2020-02-01 09:30:00", "Active", "On"],
    ],
    [
      "GoDaddy",
      ["Domain Name", "TLD", "Create Date", "Expiration Date", "Status", "Lock"],
      ["BAKKER.NL", "nl", "2020-02-01T09:30:00.000Z", "2027-02-01T00:00:00.000Z", "Active", "Locked"],
    ],
    [
      "Cloudflare",
      ["Domain", "Status", "Registered On", "Expires On", "Nameservers"],
      ["bakker.nl", "registrationActive", "2020-02-01T09:30:00Z", "2027-02-01T23:59:59Z", "a.ns.example"],
    ],
  ] as const)
    it(`of ${registrar}: domains with the dates they were made and expire`, async () => {
      const { id } = await tenant.company({ name: "Bakker", client_number: "K-1" });
      const file = rows(header, line);
      // A registrar knows none of our clients: a new domain needs one, which one mapping sets for all.
      expect(errorsOf((await sendSheet(tenant.owner, "domain", file)).body)).to.deep.equal(["2 company errors.required"]);
      expect(await take("domain", file, `&map=${encodeURIComponent("company='K-1'")}`)).to.include({ created: 1 });
      const [domain] = await items("/domains");
      expect(domain).to.include({
        ...{ name: "bakker.nl", company_id: id, status: "active", start_date: "2020-02-01", next_invoice_date: "2027-02-01" },
      });
      expect(await importSheet(tenant.owner, "domain", file)).to.include({ unchanged: 1 });
    });
}).timeout(60_000);
