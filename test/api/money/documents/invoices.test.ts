import { expect } from "chai";
import { sharedService, type TestService } from "../../../support/service.ts";
import { Invoicing } from "./invoicing.ts";

describe("invoices", () => {
  let service: TestService;
  let books: Invoicing;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    books = await Invoicing.open(service, await service.tenant());
  });
  after(() => service.stop());

  it("are computed from their lines, with one rounding for each tax group", async () => {
    const draft = await books.draft();
    expect([draft["subtotal"], draft["tax_total"], draft["total"]]).to.deep.equal(["854.90", "173.54", "1028.44"]);
    const { status, number, outstanding, lines } = await books.read(draft.id);
    expect([status, number, outstanding, lines.length]).to.deep.equal(["draft", null, "1028.44", 4]);
    const issued = await books.issue(draft.id);
    const year = new Date().getFullYear();
    expect([issued.status, issued.number]).to.deep.equal(["open", `${year}-0001`]);
    const paid = await books.pay(draft.id, "1028.44");
    expect([paid.status, paid["outstanding"]]).to.deep.equal(["paid", "0.00"]);
    const note = await books.credit(draft.id);
    expect(note["total"]).to.equal("-1028.44");
    const { body } = await books.owner.get("/invoicing/invoices");
    expect(body.items.map((one: { id: string }) => one.id)).to.deep.equal([note.id, draft.id]);
  });
});
