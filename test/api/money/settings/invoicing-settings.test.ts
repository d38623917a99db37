import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { invalidOn, refusalOf } from "../../clients/companies/company-records.ts";

const SELLER = {
  name: null,
  address_line1: null,
  address_line2: null,
  postal_code: null,
  city: null,
  country: null,
  vat_number: null,
  coc_number: null,
  iban: null,
  bic: null,
  website: null,
  email: null,
  phone: null,
};

describe("invoicing settings", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const get = () => tenant.owner.get("/invoicing/settings");
  const put = (body: unknown, call = {}) => tenant.owner.put("/invoicing/settings", body, call);
  const stored = async () =>
    (await service.sql.query("select * from invoicing_settings where organisation_id = $1", [tenant.organisation.id])).rows;

  it("are defaults under the brand's name until they are saved, and a read saves nothing", async () => {
    await service.sql.query("update organisations set brand_name = 'Vela Works' where id = $1", [tenant.organisation.id]);
    const { body, headers } = await get();
    expect(body).to.deep.equal({
      company_details: { ...SELLER, name: "Vela Works" },
      tax_country: "NL",
      prices_include_tax: false,
      default_due_days: 14,
      default_due_basis: "invoice_date",
      default_payment_discount: null,
      quote_valid_days: 30,
      default_tax_rate_id: null,
      default_template_id: null,
      default_hourly_rate: null,
      invoice_number_format: "{year}-{seq:4}",
      quote_number_format: "Q{year}-{seq:4}",
      invoice_next_seq: 1,
      quote_next_seq: 1,
      number_reset_yearly: true,
      auto_invoice_mode: "draft",
      reminders_enabled: false,
      reminder_days: [7, 14, 30],
      public_invoice_links: true,
    });
    expect(headers["etag"]).to.equal('"1"');
    expect(await stored()).to.deep.equal([]);
  });

  it("store the defaults with the first write, as they were read", async () => {
    const { body: before } = await get();
    const saved = await put({});
    expect([saved.status, saved.body, saved.headers["etag"]]).to.deep.equal([200, before, '"1"']);
    expect((await stored()).length).to.equal(1);
    expect((await get()).body).to.deep.equal(before);
  });

  it("write only the sent fields, and count their states", async () => {
    const first = await put(
      { default_due_days: 0, tax_country: "be", default_hourly_rate: 92.51 },
      { headers: { "If-Match": '"1"' } },
    );
    expect(first.body).to.include({ default_due_days: 0, tax_country: "BE", default_hourly_rate: "92.51", quote_valid_days: 30 });
    expect(first.headers["etag"]).to.equal('"2"');
    expect((await put({ quote_valid_days: 1 }, { headers: { "If-Match": '"1"' } })).status).to.equal(412);
    expect((await put({ default_due_days: 0 })).headers["etag"], "nothing changes").to.equal('"2"');
    expect((await put({ default_hourly_rate: null, invoice_next_seq: 412, number_reset_yearly: false })).body).to.include({
      default_due_days: 0,
      default_hourly_rate: null,
      invoice_next_seq: 412,
      quote_next_seq: 1,
      number_reset_yearly: false,
    });
    expect((await put({ invoice_next_seq: 3 })).body.invoice_next_seq, "set back").to.equal(3);
  });

  it("replace the seller as a whole, blanks being null", async () => {
    await put({ company_details: { name: "Vela Works B.V.", city: "Utrecht", country: "nl", email: " Desk@Vela.example " } });
    expect((await get()).body.company_details).to.deep.equal({
      ...SELLER,
      name: "Vela Works B.V.",
      city: "Utrecht",
      country: "NL",
      email: "desk@vela.example",
    });
    const { body } = await put({ company_details: { name: "  ", email: "", country: "", iban: "NL91 ABNA 0417 1643 00" } });
    expect(body.company_details).to.deep.equal({ ...SELLER, iban: "NL91 ABNA 0417 1643 00" });
  });

  it("keep the days of reminders once each, in order", async () => {
    expect((await put({ reminder_days: [30, 0, 7, 7] })).body.reminder_days).to.deep.equal([0, 7, 30]);
    expect((await put({ reminder_days: [] })).body.reminder_days).to.deep.equal([]);
  });

  const refused: [what: string, body: object, fields: Record<string, string>][] = [
    ["a field of the seller that is not known", { company_details: { fax: "1" } }, { fax: "errors.validation" }],
    [
      "an account number with wrong check digits",
      { company_details: { iban: "NL92 ABNA 0417 1643 00" } },
      { iban: "errors.validation" },
    ],
    ["an account number that is cut short", { company_details: { iban: "NL91 ABNA 0417 1643" } }, { iban: "errors.validation" }],
    ["an address that is none", { company_details: { email: "desk" } }, { email: "errors.invalid_email" }],
    ["a country of the seller that is none", { company_details: { country: "1x" } }, { country: "errors.validation" }],
    ["a long bank code", { company_details: { bic: "B".repeat(17) } }, { bic: "errors.validation" }],
    ["a tax country that is none", { tax_country: "N1" }, { tax_country: "errors.validation" }],
    ["a due term of more than a year", { default_due_days: 366 }, { default_due_days: "errors.validation" }],
    ["a term from a day that is none", { default_due_basis: "delivery" }, { default_due_basis: "errors.validation" }],
    [
      "day 0 of the next month",
      { default_due_days: 0, default_due_basis: "day_of_next_month" },
      { default_due_days: "errors.validation" },
    ],
    [
      "day 32 of the next month",
      { default_due_days: 32, default_due_basis: "day_of_next_month" },
      { default_due_days: "errors.validation" },
    ],
    ["quotes that are valid for no day", { quote_valid_days: 0 }, { quote_valid_days: "errors.validation" }],
    ["a rate of more than two decimals", { default_hourly_rate: 92.505 }, { default_hourly_rate: "errors.validation" }],
    ["a rate below nothing", { default_hourly_rate: -0.01 }, { default_hourly_rate: "errors.validation" }],
    ["a rate too large to store", { default_hourly_rate: "10000000000" }, { default_hourly_rate: "errors.validation" }],
    ["eleven reminders", { reminder_days: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] }, { reminder_days: "errors.validation" }],
    ["a counter below one", { quote_next_seq: 0 }, { quote_next_seq: "errors.validation" }],
    ["a mode that is none", { auto_invoice_mode: "now" }, { auto_invoice_mode: "errors.validation" }],
    [
      "formats that are none",
      { invoice_number_format: "{year}", quote_number_format: "{seq}{month}" },
      {
        invoice_number_format: "errors.invoicing.invalid_number_format",
        quote_number_format: "errors.invoicing.invalid_number_format",
      },
    ],
    [
      "null where there is always something",
      { tax_country: null, company_details: null, reminder_days: null, public_invoice_links: null },
      {
        tax_country: "errors.validation",
        company_details: "errors.validation",
        reminder_days: "errors.validation",
        public_invoice_links: "errors.validation",
      },
    ],
  ];
  for (const [what, body, fields] of refused)
    it(`refuse ${what} and store nothing`, async () => {
      expect(refusalOf(await put(body))).to.deep.equal(invalidOn(fields));
      expect(await stored()).to.deep.equal([]);
    });

  it("refuse a tax rate and a template that are not the organisation's", async () => {
    const other = await service.tenant();
    const foreign = (await other.owner.post("/invoicing/tax-rates", { rate: 21 })).body.id;
    for (const [body, field] of [
      [{ default_tax_rate_id: foreign }, "tax_rate_id"],
      [{ default_template_id: foreign }, "template_id"],
    ] as const) {
      const { status, body: reported } = await put(body);
      expect([status, reported.error]).to.deep.include.members([400]);
      expect(reported.error).to.include({ code: "validation", message: "errors.validation" });
      expect(reported.error.fields).to.deep.equal({ [field]: "errors.not_found" });
    }
    const own = (await tenant.owner.post("/invoicing/tax-rates", { rate: 9 })).body.id;
    expect((await put({ default_tax_rate_id: own })).body.default_tax_rate_id).to.equal(own);
    expect((await tenant.owner.delete(`/invoicing/tax-rates/${own}`)).status).to.equal(204);
    expect((await get()).body.default_tax_rate_id).to.equal(null);
  });

  it("are hidden from who reads documents alone, and changed by who manages them alone", async () => {
    const reader = await tenant.member("member", { grants: ["invoicing.invoice.read:any"] });
    const client = await tenant.member("member", { grants: ["invoicing.invoice.read:own"] });
    expect((await reader.get("/invoicing/settings")).status).to.equal(200);
    expect((await client.get("/invoicing/settings")).status).to.equal(403);
    expect((await reader.put("/invoicing/settings", {})).status).to.equal(403);
  });

  it("are made once by many first writes at the same moment", async () => {
    const answers = await Promise.all([1, 2, 3, 4].map((days) => put({ default_due_days: days })));
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
    expect((await stored()).map(({ version }) => version)).to.deep.equal([5]);
  });

  it("continue numbers from a counter that was set in a new year, before its first document", async () => {
    const { id: company_id } = await tenant.company();
    const year = (await service.sql.query("select extract(year from now())::int as year")).rows[0].year as number;
    const issued = async () => {
      const lines = [{ description: "Work", unit_price: 1 }];
      const { id } = (await tenant.owner.post("/invoicing/invoices", { company_id, lines })).body;
      return (await tenant.owner.post(`/invoicing/invoices/${id}/issue`, {})).body.number;
    };
    const lastYear = () =>
      service.sql.query(
        `update invoicing_settings set invoice_seq_year = $2, quote_seq_year = $2, invoice_next_seq = 413, quote_next_seq = 88
          where organisation_id = $1`,
        [tenant.organisation.id, year - 1],
      );
    await put({ default_due_days: 7 });
    await lastYear();
    await put({ invoice_next_seq: 413, quote_next_seq: 88, default_due_days: 8 });
    expect(await issued(), "settings that are saved unchanged set no counter").to.equal(`${year}-0001`);
    await lastYear();
    await put({ invoice_next_seq: 500 });
    expect([await issued(), await issued()]).to.deep.equal([`${year}-0500`, `${year}-0501`]);
    const [{ quote_seq_year } = expect.fail("no settings")] = await stored();
    expect(quote_seq_year, "each counter by itself").to.equal(year - 1);
  });
});
