import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { stores } from "../../../../core/files/storage.ts";
import { until } from "../../../support/jobs.ts";
import { fileBody } from "../../../support/multipart.ts";
import { visitPage } from "../../../support/pages.ts";
import { png } from "../../../support/pictures.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { waitingFor } from "../../../support/waiting.ts";
import { printerReady } from "../mails/mailed-documents.ts";
import { type DocumentBody, Invoicing, ok, refused, rule } from "./invoicing.ts";

const SELLER = {
  name: "Vela Works B.V.",
  address_line1: "Kade 1",
  postal_code: "1011 AB",
  city: "Utrecht",
  country: "NL",
  vat_number: "NL123456789B01",
  coc_number: "12345678",
  iban: "NL91 ABNA 0417 1643 00",
};
const CLIENT = {
  country: "NL",
  coc_number: "87654321",
  address_line1: "Dijk",
  house_number: "12a",
  postal_code: "3011 AA",
  city: "Rotterdam",
};

describe("a document that left the organisation (money §4)", function () {
  this.timeout(120_000);
  let service: TestService;
  let tenant: Tenant;
  let books: Invoicing;
  before(async () => {
    service = await sharedService();
    await printerReady();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    books = await Invoicing.open(service, tenant);
    await settings(SELLER);
    await ok(books.owner.patch(`/companies/${books.company}`, CLIENT));
  });
  after(() => service.stop());

  const settings = (company_details: object) => ok(books.owner.put("/invoicing/settings", { company_details }));
  const at = (id: string, rest = "") => `/invoicing/invoices/${id}${rest}`;
  const patch = (id: string, body: object, caller: Caller = books.owner) => caller.patch(at(id), body);
  const locked = (field: string) => [...rule("locked"), { [field]: "errors.invoicing.locked" }];
  const stored = async (id: string, table = "invoices") =>
    (await service.sql.query(`select * from ${table} where id = $1`, [id])).rows[0];
  const open = async (id: string, rest = "", kind = "invoices") =>
    service.call("GET", `/invoicing/public/${kind}/${(await stored(id, kind)).public_token}${rest}`, { host: tenant.host });
  const clientLogin = async () => {
    const login = await tenant.member("client", { name: "Client" });
    await tenant.group("client", [books.company], [login.membershipId]);
    return login;
  };

  const DOORS: Record<string, (id: string) => Promise<unknown>> = {
    "is recorded as sent": (id) => ok(books.owner.post(at(id, "/send"), { email: false })),
    "is opened by its link": (id) => open(id),
    "is shown by its link": (id) => open(id, "/preview"),
    "is fetched by its link": (id) => open(id, "/pdf"),
    "is read by a client login": async (id) => ok((await clientLogin()).get(at(id))),
    "is listed by a client login": async () => ok((await clientLogin()).get("/invoicing/invoices?lines=false")),
    "is shown to a client login": async (id) => (await clientLogin()).get(at(id, "/preview")),
    "is fetched as PDF": (id) => books.owner.get(at(id, "/pdf")),
    "is fetched as PDF with its e-invoice": (id) => books.owner.get(at(id, "/pdf?hybrid=true")),
    "is fetched as UBL": (id) => books.owner.get(at(id, "/ubl")),
    "is fetched for Peppol": (id) => books.owner.get(at(id, "/ubl?profile=peppol")),
    "is fetched in an archive": (id) => books.owner.get(`/invoicing/invoices/pdf?ids=${id}`),
  };
  for (const [door, leave] of Object.entries(DOORS))
    it(`has left once it ${door}`, async () => {
      const { id } = await books.issued();
      expect((await stored(id)).left_at).to.equal(null);
      await leave(id);
      expect((await stored(id)).left_at).to.not.equal(null);
      expect(refused(await patch(id, { notes: "More" }))).to.deep.equal(locked("notes"));
    });

  it("has not while staff look at it, list it and export the list, nor as a draft", async () => {
    const { id } = await books.issued();
    const draft = await books.draft();
    for (const path of [at(id), at(id, "/preview"), "/invoicing/invoices", "/impex/invoice", at(draft.id, "/pdf")])
      expect((await books.owner.get(path)).status, path).to.equal(200);
    expect([(await stored(id)).left_at, (await stored(draft.id)).left_at]).to.deep.equal([null, null]);
    expect((await patch(id, { notes: "More" })).status).to.equal(200);
  });

  it("prints what it was: party, seller, texts, dates of delivery and look are fixed; its term and what does not print are not", async () => {
    const { id: template_id } = await ok(
      books.owner.post("/invoicing/templates", { name: "T", config: { design: "letterhead" } }),
    );
    const contact = (
      await ok(
        books.owner.post("/contacts", {
          first_name: "Anna",
          last_name: "de Vries",
          email: "anna@aster.test",
          company_id: books.company,
        }),
      )
    ).id;
    const { id } = await books.issued();
    const before = await books.owner.get(at(id, "/pdf"));
    for (const [field, value] of Object.entries({
      intro: "x",
      notes: "x",
      reference: "x",
      locale: "en",
      delivery_date: "2026-05-01",
      template_id,
    }))
      expect(refused(await patch(id, { [field]: value, due_date: "2027-01-01" })), field).to.deep.equal(locked(field));
    expect(refused(await patch(id, { contact_id: contact }))).to.deep.equal(locked("customer"));
    expect(refused(await patch(id, { customer: { vat_number: "NL001234567B01" } }))).to.deep.equal(locked("customer"));
    expect((await stored(id)).due_date, "nothing is written").to.not.equal("2027-01-01");
    const after = await ok(patch(id, { due_date: "2027-01-01", reminders_paused: true, customer: { vat_number: "" } }));
    expect([after.due_date, after.reminders_paused]).to.deep.equal(["2027-01-01", true]);
    expect((await books.owner.get(at(id, "/pdf"))).bytes.equals(before.bytes)).to.equal(true);
  });

  it("has one PDF and one UBL for every reader, whatever is paid or cancelled later; the page shows its state", async () => {
    const { id } = await books.issued();
    const all = async () =>
      Promise.all(
        [at(id, "/pdf"), at(id, "/pdf?hybrid=true"), at(id, "/ubl"), at(id, "/ubl?profile=peppol")].map(
          async (path) => (await books.owner.get(path)).text,
        ),
      );
    const page = async () => (await books.owner.get(at(id, "/preview"))).text;
    const [before, pageBefore] = [await all(), await page()];
    await books.pay(id, "28.44");
    expect(await all()).to.deep.equal(before);
    expect((await open(id, "/pdf")).text).to.equal(before[0]);
    expect(await page()).to.not.equal(pageBefore);
    const { rows } = await service.sql.query(
      "select k.form, f.entity_type from kept_documents k join files f on f.id = k.file_id where k.invoice_id = $1 order by 1",
      [id],
    );
    expect(rows.map(({ form }) => form)).to.deep.equal(["hybrid", "pdf", "peppol", "ubl"]);
    expect((await books.owner.get(`/files?entity_type=invoice&entity_id=${id}&include_inline=true`)).body).to.deep.equal([]);
  });

  it("prints a lost file again", async () => {
    const { id } = await books.issued();
    const { bytes } = await books.owner.get(at(id, "/pdf"));
    const { rows } = await service.sql.query(
      "select f.content_id from kept_documents k join files f on f.id = k.file_id where k.invoice_id = $1",
      [id],
    );
    await stores().writing.remove(tenant.organisation.id, rows[0].content_id);
    expect((await books.owner.get(at(id, "/pdf"))).bytes.equals(bytes)).to.equal(true);
  });

  it("is one file where two fetch it at once", async () => {
    const { id } = await books.issued();
    const [one, two] = await Promise.all([books.owner.get(at(id, "/pdf")), open(id, "/pdf")]);
    expect(one?.bytes.equals(two?.bytes as Buffer)).to.equal(true);
    const { rowCount } = await service.sql.query("select 1 from kept_documents where invoice_id = $1", [id]);
    expect(rowCount).to.equal(1);
  });

  it("is as it was changed where a change comes before the file is kept", async () => {
    const { id } = await books.issued();
    const { sql } = service;
    await sql.query("begin");
    let fetched: ReturnType<Caller["get"]>;
    try {
      await sql.query("select 1 from invoices where id = $1 for update", [id]);
      fetched = books.owner.get(at(id, "/ubl"));
      await until(async () => (await waitingFor(sql)) === 1);
      await sql.query("update invoices set notes = 'Changed in between', version = version + 1 where id = $1", [id]);
    } finally {
      await sql.query("commit");
    }
    expect((await fetched).text).to.include("Changed in between");
  });

  it("keeps its pictures when the organisation removes them", async () => {
    const { body, headers } = fileBody(png(), "image/png", "logo.png");
    const { id: logo } = await ok(books.owner.post("/files?entity_type=branding", body, { headers }));
    await ok(books.owner.patch("/meta/tenant", { logo_url: `https://x.example/api/v1/files/${logo}/public` }));
    const { id } = await books.issued();
    const before = (await books.owner.get(at(id, "/preview"))).text;
    expect(before).to.include("data:image/png");
    await ok(books.owner.patch("/meta/tenant", { logo_url: null }));
    expect((await books.owner.delete(`/files/${logo}`)).status).to.equal(204);
    expect((await books.owner.get(at(id, "/preview"))).text).to.equal(before);
  });

  it("names the organisation on its page as it was issued", async () => {
    await ok(books.owner.patch("/meta/tenant", { brand_name: "First Brand" }));
    const { id } = await books.issued();
    const token = (await stored(id)).public_token;
    const page = async () => (await visitPage(service.port, tenant.host, "GET", `/invoice/${token}`)).text;
    expect(await page()).to.include("<dd>First Brand</dd>");
    await ok(books.owner.patch("/meta/tenant", { brand_name: "Second Brand" }));
    expect(await page()).to.include("<dd>First Brand</dd>");
  });

  describe("a quote", () => {
    const issuedQuote = async (): Promise<DocumentBody> => {
      const draft = await ok(books.owner.post("/invoicing/quotes", { company_id: books.company, lines: [books.line(1, 10)] }));
      return ok(books.owner.post(`/invoicing/quotes/${draft.id}/issue`, {}));
    };
    const quotePatch = (id: string, body: object) => books.owner.patch(`/invoicing/quotes/${id}`, body);

    it("is fixed once it left, but for the day until which it is valid", async () => {
      const { id } = await issuedQuote();
      expect((await quotePatch(id, { notes: "Before" })).status).to.equal(200);
      expect((await open(id, "", "quotes")).status).to.equal(200);
      expect(refused(await quotePatch(id, { notes: "After" }))).to.deep.equal(locked("notes"));
      const pdf = (await books.owner.get(`/invoicing/quotes/${id}/pdf`)).bytes;
      expect((await ok(quotePatch(id, { valid_until: "2027-02-01" }))).valid_until).to.equal("2027-02-01");
      expect((await open(id, "/pdf", "quotes")).bytes.equals(pdf)).to.equal(true);
    });

    it("takes its kept file along when it is deleted", async () => {
      const { id } = await issuedQuote();
      await books.owner.get(`/invoicing/quotes/${id}/pdf`);
      await ok(books.owner.post(`/invoicing/quotes/${id}/reject`, {}));
      expect((await books.owner.delete(`/invoicing/quotes/${id}`)).status).to.equal(204);
      const { rowCount } = await service.sql.query(
        "select 1 from files where organisation_id = $1 and entity_type = 'kept_document'",
        [tenant.organisation.id],
      );
      expect(rowCount).to.equal(0);
    });
  });

  describe("PATCH {seller}", () => {
    beforeEach(() => settings({ name: "Vela Works B.V." }));

    for (const kind of ["draft", "issued"] as const)
      it(`fills the country and VAT number that the seller of ${kind === "draft" ? "a draft" : "an issued invoice"} lacks, on it alone`, async () => {
        const [one, other] = [await books[kind](), await books[kind]()];
        const after = await ok(patch(one.id, { seller: { country: "nl", vat_number: " NL123456789B01 " } }));
        expect(after.e_invoice).to.deep.equal({ ready: true, problems: [] });
        expect((await books.trail(one.id)).filter(([action]) => action === "completed")).to.deep.equal([
          ["completed", { fields: ["country", "vat_number"] }],
        ]);
        expect((await books.read(other.id)).e_invoice.ready).to.equal(false);
        expect((await ok(books.owner.get("/invoicing/settings"))).company_details.country).to.equal(null);
        if (kind === "draft") await books.issue(one.id);
        const { text } = await books.owner.get(at(one.id, "/ubl"));
        expect(text).to.include("NL123456789B01");
        expect((await books.owner.get(at(one.id, "/preview"))).text).to.include("NL123456789B01");
      });

    it("never fills a field with a value, an account or an address, nor an invoice that left", async () => {
      await settings({ name: "Vela Works B.V.", country: "NL" });
      const { id } = await books.issued();
      expect(refused(await patch(id, { seller: { country: "BE" } }))).to.deep.equal(locked("country"));
      for (const field of ["iban", "bic", "phone", "email", "name"])
        expect((await patch(id, { seller: { [field]: "x" } })).status, field).to.equal(422);
      expect(refused(await patch(id, { seller: { country: null, vat_number: "" } }))).to.deep.equal(locked("country"));
      await ok(patch(id, { seller: { vat_number: "NL123456789B01" } }));
      expect(refused(await patch(id, { seller: { vat_number: "NL123456789B01" } }))).to.deep.equal(locked("vat_number"));
      const left = await books.issued();
      await open(left.id);
      expect(refused(await patch(left.id, { seller: { vat_number: "NL123456789B01" } }))).to.deep.equal(locked("seller"));
    });

    it("needs the permission for the settings as well", async () => {
      const { id } = await books.issued();
      const grants = ["invoicing.invoice.read:any", "invoicing.invoice.write"];
      const writer = await tenant.member("member", { grants });
      expect((await patch(id, { seller: { country: "NL" } }, writer)).status).to.equal(403);
      const manager = await tenant.member("member", { grants: [...grants, "invoicing.settings.manage"] });
      expect((await patch(id, { seller: { country: "NL" } }, manager)).status).to.equal(200);
      expect((await patch(randomUUID(), { seller: { country: "NL" } }, manager)).status).to.equal(404);
    });
  });
});
