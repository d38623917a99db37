import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { invalidOn, refusalOf } from "../../clients/companies/company-records.ts";

interface Rate {
  id: string;
  rate: string;
  category: string;
  is_default: boolean;
}

describe("tax rates", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const list = async (query = "", by = tenant.owner): Promise<Rate[]> => (await by.get(`/invoicing/tax-rates${query}`)).body;
  const shown = (rates: Rate[]) =>
    rates.map(({ rate, category, is_default }) => `${rate} ${category}${is_default ? " default" : ""}`);
  const create = (body: object) => tenant.owner.post("/invoicing/tax-rates", body);
  const SEEDED = ["21.00 standard default", "9.00 reduced", "0.00 zero", "0.00 exempt", "0.00 reverse_charge"];

  it("begin with those of the tax country at the first look of a caller who manages them, also of many at once", async () => {
    const reader = await tenant.member("member", { grants: ["invoicing.invoice.read:any"] });
    expect(await list("", reader), "a pure reader writes nothing").to.deep.equal([]);
    const all = await Promise.all([1, 2, 3, 4, 5, 6].map(() => list()));
    for (const rates of all) expect(shown(rates)).to.deep.equal(SEEDED);
    expect(await list("", reader)).to.deep.equal(all[0]);
    expect((await tenant.owner.get("/invoicing/tax-rates")).body[0]).to.deep.include({
      org_id: tenant.organisation.id,
      label_i18n: { nl: "21% btw", en: "21% VAT" },
      country: "NL",
      ledger_code: null,
      active: true,
      position: 10,
    });
  });

  it("are seeded by the country of the settings, and only into an empty list", async () => {
    await tenant.owner.put("/invoicing/settings", { tax_country: "us" });
    expect(shown(await list())).to.deep.equal(["0.00 zero default", "0.00 exempt"]);
    const other = await service.tenant();
    await other.owner.post("/invoicing/tax-rates", { rate: 6 });
    expect(shown(await list("", other.owner))).to.deep.equal(["6.00 standard"]);
  });

  it("are written as they are sent, with defaults for the rest", async () => {
    const { status, body } = await create({});
    expect(status).to.equal(201);
    expect(body).to.deep.include({
      label_i18n: {},
      rate: "0.00",
      category: "standard",
      country: null,
      ledger_code: null,
      is_default: false,
      active: true,
      position: 0,
    });
    const made = await create({ rate: "5.56", category: "reduced", country: "fr", ledger_code: " ", label_i18n: { fr: "TVA" } });
    expect(made.body).to.deep.include({ rate: "5.56", category: "reduced", country: "FR", ledger_code: null });
    const path = `/invoicing/tax-rates/${made.body.id}`;
    const changed = await tenant.owner.patch(path, { country: null, ledger_code: "1500", label_i18n: null, position: 3 });
    expect(changed.body).to.deep.include({ country: null, ledger_code: "1500", label_i18n: {}, position: 3, rate: "5.56" });
    expect(
      refusalOf(await tenant.owner.patch(path, { rate: null, category: null, is_default: null, active: null })),
    ).to.deep.equal(
      invalidOn({
        rate: "errors.validation",
        category: "errors.validation",
        is_default: "errors.validation",
        active: "errors.validation",
      }),
    );
    for (const rate of [-0.01, 100.01, "100.01", "x"])
      expect(refusalOf(await create({ rate })), String(rate)).to.deep.equal(invalidOn({ rate: "errors.validation" }));
  });

  it("are listed by position and then the highest first, those that are not active when asked", async () => {
    for (const body of [
      { rate: 5, position: 2 },
      { rate: 9, position: 1 },
      { rate: 21, position: 1 },
      { rate: 6, active: false },
    ])
      await create(body);
    expect(shown(await list())).to.deep.equal(["21.00 standard", "9.00 standard", "5.00 standard"]);
    expect((await list("?include_inactive=true")).map(({ rate }) => rate)).to.deep.equal(["6.00", "21.00", "9.00", "5.00"]);
  });

  it("have one default at most: setting it clears the other, also for many at once", async () => {
    const ids: string[] = [];
    for (const rate of [1, 2, 3]) ids.push((await create({ rate, is_default: true })).body.id);
    const defaults = async () => (await list()).filter(({ is_default }) => is_default).map(({ id }) => id);
    expect(await defaults()).to.deep.equal([ids[2]]);
    const answers = await Promise.all(
      [...ids, ...ids].map((id) => tenant.owner.patch(`/invoicing/tax-rates/${id}`, { is_default: true })),
    );
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200, 200]);
    expect((await defaults()).length).to.equal(1);
    const [only] = await defaults();
    await tenant.owner.patch(`/invoicing/tax-rates/${only}`, { is_default: false });
    expect(await defaults()).to.deep.equal([]);
  });

  it("name themselves on lines in the document's language, also where its locale has a region", async () => {
    const { id: company_id } = await tenant.company();
    const named = async (label_i18n: object, locale: string) => {
      const tax_rate_id = (await create({ rate: 21, label_i18n })).body.id;
      const body = { company_id, locale, lines: [{ description: "Work", unit_price: 1, tax_rate_id }] };
      return (await tenant.owner.post("/invoicing/invoices", body)).body.lines[0].tax_name;
    };
    const labels = { en: "VAT", nl: "Btw", de: "MwSt.", fil: "Buwis" };
    for (const [locale, name] of [
      ["nl-BE", "Btw"],
      ["de_AT", "MwSt."],
      ["NL", "Btw"],
      ["fil", "Buwis"],
      ["fi", "VAT"],
      ["fr-CA", "VAT"],
    ])
      expect(await named(labels, locale as string), locale).to.equal(name);
    expect(await named({ ...labels, "nl-BE": "Belgische btw" }, "nl-BE")).to.equal("Belgische btw");
  });

  it("can be deleted while documents name them: those keep the old values", async () => {
    const { id } = await tenant.company();
    const rate = (await create({ rate: 21, is_default: true })).body.id;
    const {
      rows: [line],
    } = await service.sql.query(
      `with i as (insert into invoices (id, organisation_id, company_id, currency, locale)
          values (gen_random_uuid(), $1, $2, 'EUR', 'nl') returning id)
        insert into document_lines (id, organisation_id, invoice_id, position, description, tax_rate_id, tax_rate_pct, tax_category, tax_name)
        select gen_random_uuid(), $1, i.id, 0, 'Work', $3, 21, 'standard', 'Btw' from i returning id`,
      [tenant.organisation.id, id, rate],
    );
    expect((await tenant.owner.delete(`/invoicing/tax-rates/${rate}`)).status).to.equal(204);
    const { rows } = await service.sql.query("select tax_rate_id, tax_rate_pct, tax_name from document_lines where id = $1", [
      line.id,
    ]);
    expect(rows).to.deep.equal([{ tax_rate_id: null, tax_rate_pct: "21.00", tax_name: "Btw" }]);
    expect((await tenant.owner.delete(`/invoicing/tax-rates/${rate}`)).status).to.equal(404);
  });
});
