import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { Invoicing, ok, refused, rule } from "../documents/invoicing.ts";

describe("a proforma", () => {
  let service: TestService;
  let tenant: Tenant;
  let books: Invoicing;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    books = await Invoicing.open(service, tenant);
    const iban = "NL91 ABNA 0417 1643 00";
    await ok(books.owner.put("/invoicing/settings", { company_details: { name: "Vela Works B.V.", iban } }));
  });
  after(() => service.stop());

  const proforma = (id: string, form: string) => books.owner.get(`/invoicing/invoices/${id}/proforma/${form}`);

  it("is a draft under its own name, in the language of the document, without a number and a code", async () => {
    for (const [locale, heading] of [
      ["nl", "Proformafactuur"],
      ["en", "Proforma invoice"],
    ]) {
      const draft = await books.draft(books.mixed(), { locale });
      const { status, text, headers } = await proforma(draft.id, "preview");
      expect(status, text).to.equal(200);
      expect(headers["content-disposition"]).to.contain(`proforma-${draft.id}.html`);
      expect(text).to.include(heading).and.include(">Proforma<").and.not.include("data:image/svg+xml");
      expect(text).to.not.match(/Concept|>Draft</);
      expect((await books.read(draft.id)).status).to.equal("draft");
    }
  });

  it("is PDF as well, and carries no e-invoice", async () => {
    const draft = await books.draft();
    const { status, headers, bytes } = await proforma(draft.id, "pdf");
    expect([status, headers["content-type"]]).to.deep.equal([200, "application/pdf"]);
    expect(bytes.subarray(0, 5).toString()).to.equal("%PDF-");
    expect(bytes.includes("factur-x.xml")).to.equal(false);
  });

  it("is refused of an issued invoice and of a credit note, and hidden from others", async () => {
    const issued = await books.issued();
    const note = await books.credit(issued.id);
    for (const { id } of [issued, note])
      for (const form of ["preview", "pdf"]) expect(refused(await proforma(id, form))).to.deep.equal(rule("wrong_status"));
    const other = await service.tenant();
    const { id } = await books.draft();
    expect((await other.owner.get(`/invoicing/invoices/${id}/proforma/pdf`)).status).to.equal(404);
  });
});
