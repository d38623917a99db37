import { readdir } from "node:fs/promises";
import path from "node:path";
import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { type DocumentBody, Invoicing, ok, refused, rule } from "./invoicing.ts";

const SELLER = { name: "Vela Works B.V.", country: "NL", city: "Utrecht", vat_number: "NL123456789B01" };
const STEPS = path.join(import.meta.dirname, "../../../../migrations/before-0.3");

describe("issued documents", () => {
  let service: TestService;
  let tenant: Tenant;
  let books: Invoicing;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    books = await Invoicing.open(service, tenant);
    await settings(SELLER);
  });
  after(() => service.stop());

  const settings = (company_details: object) => ok(books.owner.put("/invoicing/settings", { company_details }));
  const patch = (id: string, body: object) => books.owner.patch(`/invoicing/invoices/${id}`, body);
  const preview = async (id: string, kind = "invoices") => (await books.owner.get(`/invoicing/${kind}/${id}/preview`)).text;
  const template = (config: object) => ok(books.owner.post("/invoicing/templates", { name: "T", config }));
  const client = (values: object) => ok(books.owner.patch(`/companies/${books.company}`, values));
  const issuedQuote = async (more: object = {}): Promise<DocumentBody> => {
    const draft = await ok(
      books.owner.post("/invoicing/quotes", { company_id: books.company, lines: [books.line(1, 10)], ...more }),
    );
    return ok(books.owner.post(`/invoicing/quotes/${draft.id}/issue`, {}));
  };
  /** Changes everything that a document shows of its organisation. */
  const rename = async (templateId: string) => {
    await settings({ ...SELLER, name: "Other Name B.V.", city: "Rotterdam" });
    await ok(books.owner.patch("/meta/tenant", { brand_name: "Otherbrand", accent_color: "#aa0011" }));
    await ok(books.owner.patch(`/invoicing/templates/${templateId}`, { config: { design: "classic", accent_color: "#00aa11" } }));
  };

  describe("never change", () => {
    it("through changes of the company's details, its brand and the template; drafts follow", async () => {
      const { id: template_id } = await template({ design: "letterhead" });
      const invoice = await books.issued(undefined, { template_id });
      const quote = await issuedQuote({ template_id });
      const draft = await books.draft(undefined, { template_id });
      const before = [await preview(invoice.id), await preview(quote.id, "quotes")];
      const ubl = (await books.owner.get(`/invoicing/invoices/${invoice.id}/ubl`)).text;
      await rename(template_id);
      expect([await preview(invoice.id), await preview(quote.id, "quotes")]).to.deep.equal(before);
      expect((await books.owner.get(`/invoicing/invoices/${invoice.id}/ubl`)).text).to.equal(ubl);
      expect(await preview(draft.id))
        .to.contain("Other Name B.V.")
        .and.contain("Rotterdam");
      expect((await books.owner.delete(`/invoicing/templates/${template_id}`)).status).to.equal(204);
      expect(await preview(invoice.id)).to.equal(before[0]);
      // Documents issued from now on show the current values.
      expect(await preview((await books.issue(draft.id)).id)).to.contain("Other Name B.V.");
    });

    it("but with their assigned template", async () => {
      const invoice = await books.issued();
      const before = await preview(invoice.id);
      const { id: template_id } = await template({ design: "letterhead" });
      await ok(patch(invoice.id, { template_id }));
      const after = await preview(invoice.id);
      expect(after).to.not.equal(before);
      // Another template, not another seller.
      await rename(template_id);
      const { id: other } = await template({ design: "letterhead", accent_color: "#0000aa" });
      await ok(patch(invoice.id, { template_id: other }));
      expect(await preview(invoice.id))
        .to.contain(SELLER.name)
        .and.not.contain("Other Name")
        .and.not.contain("Otherbrand");
      await ok(patch(invoice.id, { template_id: null }));
      expect(await preview(invoice.id)).to.equal(before);
      await ok(books.owner.patch(`/invoicing/templates/${template_id}`, { config: { design: "letterhead" } }));
      await ok(patch(invoice.id, { template_id }));
      expect(await preview(invoice.id)).to.equal(after);
      await rename(template_id);
      expect(await preview(invoice.id)).to.equal(after);
    });

    it("share one look among those that look alike", async () => {
      for (let count = 0; count < 3; count++) await books.issued();
      await issuedQuote();
      const looks = async () =>
        (await service.sql.query("select 1 from issued_looks where organisation_id = $1", [tenant.organisation.id])).rowCount;
      expect(await looks()).to.equal(1);
      await settings({ ...SELLER, name: "Other" });
      await books.issued();
      expect(await looks()).to.equal(2);
    });

    it("nor those that were issued before the migration: it freezes them as they print then", async () => {
      const { id: template_id } = await template({ design: "letterhead" });
      const invoice = await books.issued(undefined, { template_id });
      const quote = await issuedQuote();
      const draft = await books.draft();
      for (const table of ["invoices", "quotes"])
        await service.sql.query(`update ${table} set look_id = null where organisation_id = $1`, [tenant.organisation.id]);
      const before = [await preview(invoice.id), await preview(quote.id, "quotes")];
      const file = (await readdir(STEPS)).find((name) => name.endsWith("issued-documents-have-a-look.ts")) ?? "";
      const { default: step } = await import(path.join(STEPS, file));
      await step.up({ sql: (text: string) => service.sql.query(text), application: "kantoor_app" });
      await rename(template_id);
      expect([await preview(invoice.id), await preview(quote.id, "quotes")]).to.deep.equal(before);
      const { rows } = await service.sql.query("select look_id from invoices where id = $1", [draft.id]);
      expect(rows).to.deep.equal([{ look_id: null }]);
    });

    it("nor those that were issued before the code of a transfer existed, and new ones print it", async () => {
      await settings({ ...SELLER, iban: "NL91ABNA0417164300" });
      const [early, late] = [await books.issued(), await books.issued()];
      const CODE = '<figure class="transfer-qr">';
      expect(await preview(late.id)).to.contain(CODE);
      await service.sql.query(
        "with early as (insert into issued_looks (organisation_id, seller, brand) select organisation_id, seller, brand - 'transfer_code' from issued_looks where organisation_id = $1 returning id) update invoices set look_id = early.id from early where invoices.id = $2",
        [tenant.organisation.id, early.id],
      );
      expect(await preview(early.id)).to.not.contain(CODE);
      const { id: template_id } = await template({ design: "letterhead" });
      for (const id of [early.id, late.id]) await ok(patch(id, { template_id }));
      expect(await preview(early.id)).to.not.contain(CODE);
      expect(await preview(late.id)).to.contain(CODE);
    });

    it("nor fields of the seller that were blank, such as its bank account, when the settings get them", async () => {
      await settings({ name: "Vela Works B.V.", country: "NL" });
      const invoice = await books.issued();
      const { e_invoice } = await books.read(invoice.id);
      expect(e_invoice.problems).to.deep.include({ field: "vat_number", message: "errors.invoicing.seller_incomplete" });
      const before = await preview(invoice.id);
      const more = { vat_number: "NL123456789B01", iban: "NL91ABNA0417164300", bic: "ABNANL2A", coc_number: "12345678" };
      await settings({ name: "Vela Works B.V.", country: "NL", phone: "+31201234567", email: "post@vela.test", ...more });
      expect(await preview(invoice.id)).to.equal(before);
      expect((await books.read(invoice.id)).e_invoice).to.deep.equal(e_invoice);
    });
  });

  describe("say whether they can be e-invoices", () => {
    const problems = ({ e_invoice }: DocumentBody) =>
      e_invoice.problems.map(({ field, message }: DocumentBody) => `${field} ${message}`);

    it("on the draft by the client as it is now, at issue, and afterwards", async () => {
      const draft = await books.draft([books.line(1, 100, "reverse")]);
      expect([draft.e_invoice.ready, problems(draft)]).to.deep.equal([
        false,
        ["vat_number errors.invoicing.customer_incomplete"],
      ]);
      await client({ vat_number: "BE0123456749", country: "BE" });
      expect((await books.read(draft.id)).e_invoice).to.deep.equal({ ready: true, problems: [] });
      expect((await books.issue(draft.id)).e_invoice.ready).to.equal(true);
      expect((await books.owner.get(`/invoicing/invoices/${draft.id}/ubl`)).status).to.equal(200);
      const [listed] = (await ok(books.owner.get("/invoicing/invoices"))).items;
      expect([listed.e_invoice, listed.peppol, listed.unrated_minutes]).to.deep.equal([null, null, null]);
    });

    it("exactly as the e-invoice itself is refused", async () => {
      await settings({ name: "Vela Works B.V." });
      for (const [lines, more] of [
        [books.mixed(), {}],
        [[books.line(1, 100, "reverse")], {}],
        [[books.line(1, 100)], { currency: "SLE" }],
      ] as const) {
        const invoice = await books.issued([...lines], more);
        for (const [profile, answer] of [
          ["en16931", invoice.e_invoice],
          ["peppol", invoice.peppol],
        ] as const) {
          const { status, body } = await books.owner.get(`/invoicing/invoices/${invoice.id}/ubl?profile=${profile}`);
          expect(status, profile).to.equal(409);
          expect([...new Set(answer.problems.map(({ field }: DocumentBody) => field))].sort()).to.deep.equal(
            Object.keys(body.error.fields).sort(),
          );
        }
      }
    });

    it("in the organisation's country if the client names none", async () => {
      const invoice = await books.issued();
      expect([invoice.customer.country, invoice.e_invoice.ready]).to.deep.equal(["NL", true]);
    });

    it("keep their client, as drafts and credit notes do: another one is refused, their own is not", async () => {
      const other = await tenant.company();
      const invoice = await books.issued();
      const note = await ok(books.owner.post(`/invoicing/invoices/${invoice.id}/credit`));
      const draft = await books.draft();
      for (const { id, company_id } of [invoice, note, draft]) {
        const refusal = await patch(id, { company_id: other.id });
        expect([refusal.status, refusal.body.error.message, refusal.body.error.fields]).to.deep.equal([
          409,
          "errors.invoicing.locked",
          { company_id: "errors.invoicing.locked" },
        ]);
        expect((await patch(id, { company_id })).status).to.equal(200);
      }
    });

    it("and accept blank fields of the party, but no filled ones", async () => {
      const invoice = await books.issued([books.line(1, 100, "reverse")]);
      expect(invoice.e_invoice.ready).to.equal(false);
      expect(refused(await patch(invoice.id, { customer: { vat_number: "NL001234567B01", name: "Other" } }))).to.deep.equal([
        ...rule("locked"),
        { name: "errors.invoicing.locked" },
      ]);
      expect(refused(await patch(invoice.id, { customer: { email: "no address" } }))).to.deep.equal([
        422,
        "errors.validation",
        { email: "errors.invalid_email" },
      ]);
      expect((await books.read(invoice.id)).customer.vat_number, "nothing is written").to.equal(null);
      const after = await ok(patch(invoice.id, { customer: { vat_number: " NL001234567B01 ", email: null } }));
      expect([after.customer.vat_number, after.e_invoice.ready]).to.deep.equal(["NL001234567B01", true]);
      expect((await books.trail(invoice.id)).at(-1)).to.deep.equal(["completed", { fields: ["vat_number"] }]);
      expect(refused(await patch(invoice.id, { customer: { vat_number: "NL001234567B01" } }))).to.deep.equal([
        ...rule("locked"),
        { vat_number: "errors.invoicing.locked" },
      ]);
      expect(await preview(invoice.id)).to.contain("NL001234567B01");
      expect((await books.owner.get(`/invoicing/invoices/${invoice.id}/ubl`)).status).to.equal(200);
    });

    it("and store a completed e-mail address in lower case (conventions §9)", async () => {
      await client({ invoice_email: null });
      const invoice = await books.issued();
      const { customer } = await ok(patch(invoice.id, { customer: { email: " Books@Example.com " } }));
      expect(customer.email).to.equal("books@example.com");
    });

    it("which a draft does not, for its party is copied at issue", async () => {
      const draft = await books.draft();
      expect(refused(await patch(draft.id, { customer: { vat_number: "NL001234567B01" } }))).to.deep.equal([
        ...rule("wrong_status"),
        { customer: "errors.invoicing.wrong_status" },
      ]);
    });
  });

  it("are due on no day before the issue date of the same body", async () => {
    const draft = await books.draft();
    const dates = { issue_date: "2026-05-02", due_date: "2026-05-01" };
    expect(refused(await books.owner.post(`/invoicing/invoices/${draft.id}/issue`, dates))).to.deep.equal([
      422,
      "errors.validation",
      { due_date: "errors.validation" },
    ]);
    expect((await books.issue(draft.id, { ...dates, due_date: "2026-05-02" })).due_date).to.equal("2026-05-02");
  });

  describe("bill no hours without a rate", () => {
    const fromTime = (body: object = {}): Promise<DocumentBody> =>
      ok(books.owner.post("/invoicing/invoices/from-time", { company_id: books.company, ...body }));
    const issue = (id: string, body: object = {}) => books.owner.post(`/invoicing/invoices/${id}/issue`, body);

    it("unless the body allows it, and no number is used", async () => {
      await books.hour({ minutes: 45 });
      const draft = await fromTime();
      expect([draft.unrated_minutes, draft.total]).to.deep.equal([45, "0.00"]);
      expect(refused(await issue(draft.id))).to.deep.equal(rule("unrated_hours"));
      expect((await books.read(draft.id)).number).to.equal(null);
      const issued = await ok(issue(draft.id, { allow_zero: true }));
      expect([issued.number, issued.unrated_minutes]).to.deep.equal([`${new Date().getFullYear()}-0001`, 0]);
    });

    it("nor behind lines that no longer name them", async () => {
      await books.hour();
      const draft = await fromTime();
      await ok(patch(draft.id, { lines: [books.line(1, 0, "21", { line_kind: "hours" }), books.line(1, 10)] }));
      expect(refused(await issue(draft.id))).to.deep.equal(rule("unrated_hours"));
      await ok(patch(draft.id, { lines: [books.line(1, 80, "21", { line_kind: "hours" })] }));
      expect((await ok(issue(draft.id))).status).to.equal("open");
    });

    it("while a rate of 0 that was set is a rate, and one of the body counts", async () => {
      await books.hour();
      await service.sql.query(
        "insert into leave_profiles (id, organisation_id, user_id, hourly_rate) values (gen_random_uuid(), $1, $2, 0)",
        [tenant.organisation.id, books.owner.accountId],
      );
      const free = await fromTime();
      expect([free.unrated_minutes, (await ok(issue(free.id))).total]).to.deep.equal([0, "0.00"]);
      await service.sql.query("delete from leave_profiles where organisation_id = $1", [tenant.organisation.id]);
      await books.hour();
      expect((await fromTime({ hourly_rate: 80 })).unrated_minutes).to.equal(0);
    });
  });
});
