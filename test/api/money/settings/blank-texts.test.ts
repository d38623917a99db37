import { expect } from "chai";
import { sharedService, type TestService } from "../../../support/service.ts";
import { Invoicing, ok, refused } from "../documents/invoicing.ts";

const BLANKS = ["  ", "\u00a0", "\u2003 "];
const KEY = "test_4fUpFxqzGN2WsH8vKjBr6TdYcMeA3n";

describe("texts of blanks alone in invoicing", () => {
  let service: TestService;
  let books: Invoicing;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    books = await Invoicing.open(service, await service.tenant());
  });
  after(() => service.stop());

  it("are refused where a text is required, on create and change", async () => {
    const { owner, company } = books;
    const start = { company_id: company, name: "Care", amount: 1, start_date: "2026-01-15" };
    const items: [path: string, field: string, valid: object, blank: (text: string) => object][] = [
      ["/invoicing/templates", "name", { name: "Own" }, (name) => ({ name })],
      ["/invoicing/payment-accounts", "label", { label: "Shop", api_key: KEY }, (label) => ({ label })],
      ["/invoicing/products", "name", { name: "Hour" }, (name) => ({ name })],
      ["/subscriptions", "name", start, (name) => ({ name })],
      ["/subscriptions", "description", start, (description) => ({ lines: [{ description, unit_amount: 1 }] })],
      ["/subscriptions/templates", "name", { name: "Care" }, (name) => ({ name })],
      [
        "/invoicing/invoices",
        "description",
        { company_id: company },
        (description) => ({ lines: [{ description, quantity: 1, unit_price: 1 }] }),
      ],
      [
        "/invoicing/quotes",
        "description",
        { company_id: company },
        (description) => ({ lines: [{ description, quantity: 1, unit_price: 1 }] }),
      ],
    ];
    for (const [path, field, valid, blank] of items) {
      const { id } = await ok(owner.post(path, { ...valid, ...(field === "label" && { label: `Shop ${field}` }) }));
      for (const text of BLANKS) {
        const broken = blank(text);
        for (const answer of [await owner.post(path, { ...valid, ...broken }), await owner.patch(`${path}/${id}`, broken)])
          expect([answer.status, answer.body.error?.fields], `${path} ${field}`).to.deep.equal([
            422,
            { [field]: "errors.validation" },
          ]);
      }
    }
  });

  it("are refused as the name of who accepts a quote by its link", async () => {
    const { id } = await ok(books.owner.post("/invoicing/quotes", { company_id: books.company, lines: books.mixed() }));
    await ok(books.owner.put("/invoicing/settings", { company_details: { name: "Vela" } }));
    const { public_url } = await ok(books.owner.post(`/invoicing/quotes/${id}/issue`, {}));
    const call = (name: string) =>
      service.call("POST", `/invoicing/public/quotes/${public_url.split("/").at(-1)}/accept`, {
        host: books.tenant.host,
        body: { name },
      });
    for (const name of BLANKS)
      expect(refused(await call(name))).to.deep.equal([422, "errors.validation", { name: "errors.validation" }]);
    expect((await ok(books.owner.get(`/invoicing/quotes/${id}`))).status).to.equal("open");
  });

  it("are null where a text is optional", async () => {
    const { owner, company } = books;
    const blank = (...fields: string[]) => Object.fromEntries(fields.map((field) => [field, BLANKS[0]]));
    const none = (...fields: string[]) => Object.fromEntries(fields.map((field) => [field, null]));
    const start = { company_id: company, name: "Care", amount: 1, start_date: "2026-01-15" };
    const items: [path: string, valid: object, fields: string[]][] = [
      ["/invoicing/products", { name: "Hour" }, ["code", "description", "unit"]],
      ["/invoicing/tax-rates", {}, ["ledger_code"]],
      ["/invoicing/invoices", { company_id: company }, ["reference", "intro", "notes"]],
      ["/invoicing/quotes", { company_id: company }, ["reference", "intro", "notes"]],
      ["/subscriptions", start, ["notes"]],
    ];
    for (const [path, valid, fields] of items) {
      const made = await ok(owner.post(path, { ...valid, ...blank(...fields) }));
      expect(made, path).to.deep.include(none(...fields));
      await ok(owner.patch(`${path}/${made.id}`, Object.fromEntries(fields.map((field) => [field, "x"]))));
      expect(await ok(owner.patch(`${path}/${made.id}`, blank(...fields))), path).to.deep.include(none(...fields));
    }
    const line = { description: "Work", quantity: 1, unit_price: 1, unit: BLANKS[0] };
    expect((await books.draft([line])).lines[0].unit).to.equal(null);
  });
});
