import { expect } from "chai";
import { sharedService, type TestService } from "../../../support/service.ts";
import { Invoicing, ok, refused, rule } from "../documents/invoicing.ts";

const SELLER = {
  name: "Vela Works B.V.",
  address_line1: "Kade 1",
  postal_code: "1011 AB",
  city: "Amsterdam",
  country: "NL",
  vat_number: "NL123456789B01",
  coc_number: "12345678",
  iban: "NL91 ABNA 0417 1643 00",
};
const CLIENT = { country: "NL", vat_number: "NL001234567B01", address_line1: "Dijk", house_number: "12a", postal_code: "3011 AA", city: "Rotterdam", coc_number: "87654321" }; // biome-ignore format: one client

describe("GET /invoicing/invoices/{invoice_id}/ubl", () => {
  let service: TestService;
  let books: Invoicing;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    books = await Invoicing.open(service, await service.tenant());
    await ok(books.owner.put("/invoicing/settings", { company_details: SELLER }));
    await ok(books.owner.patch(`/companies/${books.company}`, CLIENT));
  });
  after(() => service.stop());

  const ubl = (id: string, query = "", caller = books.owner) => caller.get(`/invoicing/invoices/${id}/ubl${query}`);
  /** The texts of an element, in order. */
  const texts = (xml: string, element: string): string[] =>
    [...xml.matchAll(new RegExp(`<${element}(?: [^>]*)?>([^<]*)<`, "g"))].map(([, text]) => text as string);

  it("gives an issued invoice as a file", async () => {
    const { id, number } = await books.issued(books.mixed(), { reference: "PO & 7" });
    const { status, headers, text } = await ubl(id);
    expect(status).to.equal(200);
    expect(headers["content-type"]).to.match(/^application\/xml\b/);
    expect(headers["content-disposition"]).to.equal(`attachment; filename="${number}.xml"`);
    expect(texts(text, "cbc:ID")[0]).to.equal(number);
    expect(texts(text, "cbc:BuyerReference")).to.deep.equal(["PO &amp; 7"]);
    expect(texts(text, "cbc:RegistrationName")).to.deep.equal(["Vela Works B.V.", "Aster"]);
    expect(texts(text, "cbc:LineExtensionAmount")).to.deep.equal(["854.90", "630.00", "249.95", "-75.00", "49.95"]);
    expect(texts(text, "cbc:InvoicedQuantity")).to.deep.equal(["7.50", "1.00", "-1.00", "3.00"]);
    expect([texts(text, "cbc:TaxInclusiveAmount"), texts(text, "cbc:PayableAmount")]).to.deep.equal([["1028.44"], ["1028.44"]]);
  });

  it("is named by its number with slashes as hyphens, as its PDF and preview are; the number in it stays whole", async () => {
    await ok(books.owner.put("/invoicing/settings", { company_details: SELLER, invoice_number_format: "F/{year}/{seq:3}" }));
    const { id, number } = await books.issued();
    expect(number).to.match(/^F\/\d{4}\/001$/);
    const { headers, text } = await ubl(id);
    const name = number.replaceAll("/", "-");
    expect(headers["content-disposition"]).to.equal(`attachment; filename="${name}.xml"`);
    expect(texts(text, "cbc:ID")[0]).to.equal(number);
    const preview = await books.owner.get(`/invoicing/invoices/${id}/preview`);
    expect(preview.headers["content-disposition"]).to.contain(`filename="${name}.html"`);
  });

  it("needs a due date while money is due (EN 16931 BR-CO-25), as the invoice itself says", async () => {
    const { id, e_invoice } = await books.issued();
    expect(e_invoice.ready).to.equal(true);
    const { e_invoice: without } = await ok(books.owner.patch(`/invoicing/invoices/${id}`, { due_date: null }));
    expect(without).to.deep.equal({ ready: false, problems: [{ field: "due_date", message: "errors.validation" }] });
    expect(refused(await ubl(id))).to.deep.equal([409, "errors.conflict", { due_date: "errors.validation" }]);
    await books.pay(id, "1028.44");
    expect((await ubl(id)).status, "nothing is due").to.equal(200);
    const draft = await books.draft(books.mixed(), { due_date: null });
    expect(draft.e_invoice.ready, "issue gives it one").to.equal(true);
  });

  it("states the paid amount, and the seller as it was at issue", async () => {
    const { id } = await books.issued();
    await books.pay(id, "400.00");
    await ok(books.owner.put("/invoicing/settings", { company_details: { ...SELLER, name: "Vela Holding" } }));
    const { text } = await ubl(id);
    expect([texts(text, "cbc:PrepaidAmount"), texts(text, "cbc:PayableAmount")]).to.deep.equal([["400.00"], ["628.44"]]);
    expect(texts(text, "cbc:RegistrationName")[0]).to.equal(SELLER.name);
  });

  it("gives a credit note with the signs turned and its source named", async () => {
    const { id, number } = await books.issued();
    const note = await books.issue((await books.credit(id)).id);
    const { text } = await ubl(note.id);
    expect(text).to.include("<CreditNote ");
    expect(texts(text, "cbc:TaxInclusiveAmount")).to.deep.equal(["1028.44"]);
    expect(texts(text, "cbc:ID").slice(0, 2)).to.deep.equal([note.number, number]);
    expect(texts(text, "cbc:CreditedQuantity")).to.deep.equal(["7.50", "1.00", "-1.00", "3.00"]);
  });

  it("follows Peppol on request", async () => {
    const { id } = await books.issued();
    const { text } = await ubl(id, "?profile=peppol");
    expect(texts(text, "cbc:ProfileID")).to.deep.equal(["urn:fdc:peppol.eu:2017:poacc:billing:01:1.0"]);
    expect(texts(text, "cbc:EndpointID")).to.deep.equal(["12345678", "87654321"]);
    expect((await ubl(id, "?profile=en16931")).text).to.equal((await ubl(id)).text);
    expect((await ubl(id, "?profile=zugferd")).status).to.equal(422);
  });

  it("names the fields that the document or its seller lacks", async () => {
    await ok(books.owner.put("/invoicing/settings", { company_details: { name: "Vela Works B.V." } }));
    const other = await books.tenant.company({ name: "Bramble" });
    const { id } = await books.issued([books.line(1, 9, "reverse")], { company_id: other.id });
    const lacking = [
      409,
      "errors.conflict",
      { country: "errors.invoicing.seller_incomplete", vat_number: "errors.invoicing.seller_incomplete" },
    ];
    expect(refused(await ubl(id))).to.deep.equal(lacking);
    await ok(books.owner.put("/invoicing/settings", { company_details: SELLER }));
    expect(refused(await ubl(id)), "the seller was frozen at issue").to.deep.equal(lacking);
    const next = await books.issued([books.line(1, 9, "reverse")], { company_id: other.id });
    const incomplete = [409, "errors.conflict", { vat_number: "errors.invoicing.customer_incomplete" }];
    expect(refused(await ubl(next.id))).to.deep.equal(incomplete);
    await ok(books.owner.patch(`/companies/${other.id}`, { vat_number: "DE123456789" }));
    expect(refused(await ubl(next.id)), "the bill-to party was frozen at issue").to.deep.equal(incomplete);
  });

  it("is refused for a draft, and given for a cancelled invoice", async () => {
    const draft = await books.draft();
    expect(refused(await ubl(draft.id))).to.deep.equal(rule("wrong_status"));
    await books.issue(draft.id);
    await ok(books.owner.post(`/invoicing/invoices/${draft.id}/cancel`));
    expect((await ubl(draft.id)).status).to.equal(200);
  });

  it("is seen by a client login for its own issued documents alone, and by a selection", async () => {
    const { id } = await books.issued();
    const draft = await books.draft();
    const elsewhere = await books.tenant.company({ name: "Bramble" });
    const foreign = await books.issued([books.line(1, 9)], { company_id: elsewhere.id });
    const client = await books.tenant.member("client");
    await books.tenant.group("Own", [books.company], [client.membershipId]);
    expect((await ubl(id, "", client)).status).to.equal(200);
    expect((await ubl(draft.id, "", client)).status).to.equal(404);
    expect((await ubl(foreign.id, "", client)).status).to.equal(404);
    const narrowed = await books.tenant.member("admin");
    await books.tenant.group("A", [books.company], [narrowed.membershipId]);
    expect([(await ubl(id, "", narrowed)).status, (await ubl(foreign.id, "", narrowed)).status]).to.deep.equal([200, 404]);
    expect((await ubl(draft.id, "", narrowed)).status).to.equal(409);
    expect((await ubl(id, "", await books.tenant.member("member"))).status).to.equal(403);
    const stranger = await service.tenant();
    expect((await ubl(id, "", stranger.owner)).status).to.equal(404);
  });
});
