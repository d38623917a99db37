import { expect } from "chai";
import { fillBanking } from "../../../integrations/banking/demo/demo-banking.ts";
import { sharedService, type TestService } from "../../support/service.ts";
import { type DocumentBody, Invoicing, ok } from "../money/documents/invoicing.ts";

describe("the demo of banking", () => {
  let service: TestService;
  let books: Invoicing;
  before(async () => {
    service = await sharedService();
    books = await Invoicing.open(service, await service.tenant());
    for (let count = 0; count < 3; count += 1) await books.issued([books.line(1, 100 + count, "exempt")]);
    await fillBanking({ organisation: books.tenant.organisation });
  });
  after(() => service.stop());

  const entries = async (): Promise<DocumentBody[]> => (await ok(books.owner.get("/banking/entries?sort=booked_on"))).items;

  it("has a statement that adds up, with payments, costs and money that nothing explains", async () => {
    const { items } = await ok(books.owner.get("/banking/statements"));
    expect(items).to.have.length(1);
    const found = await entries();
    const moved = found.reduce((sum, { amount }) => sum + Math.round(Number(amount) * 100), 0);
    expect(Math.round((Number(items[0].closing) - Number(items[0].opening)) * 100)).to.equal(moved);
    expect(found.map(({ proposals }) => proposals[0]?.score ?? 0).toSorted((one, other) => one - other)).to.deep.equal([
      0, 0, 60, 90, 90, 90,
    ]);
    expect(found.filter(({ state }) => state === "matched")).to.deep.equal([]);
  });

  it("is filled once", async () => {
    const before = await entries();
    await fillBanking({ organisation: books.tenant.organisation });
    expect(await entries()).to.deep.equal(before);
  });
});
