import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { Invoicing, ok } from "../money/documents/invoicing.ts";

describe("an owner who is attached to a contact (conventions §5)", () => {
  let service: TestService;
  let tenant: Tenant;
  let contact: Caller;
  let draft: string;
  let quote: string;

  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    const invoicing = await Invoicing.open(service, tenant);
    const line = { description: "Work", quantity: "1", unit_price: "100", tax_rate_id: invoicing.rates["21"] };
    draft = (await ok(tenant.owner.post("/invoicing/invoices", { company_id: invoicing.company, lines: [line] }))).id;
    quote = (await ok(tenant.owner.post("/invoicing/quotes", { company_id: invoicing.company, lines: [line] }))).id;
    contact = await tenant.member("owner");
    const { id } = await ok(tenant.owner.post("/contacts", { first_name: "Eva", company_ids: [invoicing.company] }));
    await ok(tenant.owner.post("/tasks", { title: "Ours alone" }));
    await service.sql.query("update contacts set account_id = $2 where id = $1", [id, contact.accountId]);
  });
  after(() => service.stop());

  it("sees what every owner sees, drafts and quotes included, on every path", async () => {
    for (const path of [
      "/invoicing/invoices",
      `/invoicing/invoices/${draft}`,
      `/invoicing/invoices/${draft}/preview`,
      `/invoicing/invoices/${draft}/payment-intents`,
      "/invoicing/summary",
      "/invoicing/quotes",
      `/invoicing/quotes/${quote}`,
      "/tasks",
      `/companies/${(await tenant.owner.get(`/invoicing/invoices/${draft}`)).body.company_id}/panels`,
      "/members/lookup",
      `/activity?entity_type=invoice&entity_id=${draft}`,
    ]) {
      const [owner, other] = await Promise.all([tenant.owner.get(path), contact.get(path)]);
      expect(owner.status, path).to.equal(200);
      expect([other.status, other.text], path).to.deep.equal([200, owner.text]);
    }
    expect((await contact.get("/meta/me")).body.is_portal).to.equal(false);
  });
});
