import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";

describe("the card of a contact", () => {
  let service: TestService;
  let tenant: Tenant;
  let id: string;
  let [first, second] = ["", ""];
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    [first, second] = [(await tenant.company({ name: "Zaak" })).id, (await tenant.company({ name: "Andere" })).id];
    await tenant.owner.post("/contacts", { first_name: "P", company_ids: [second] });
    const body = { first_name: "Jan", last_name: "Bos", email: "jan@example.com", company_ids: [first, second] };
    id = (await tenant.owner.post("/contacts", body)).body.id;
  });
  after(() => service.stop());

  it("is a file with the primary client", async () => {
    const answer = await tenant.owner.get(`/contacts/${id}/vcard`);
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.headers["content-type"]).to.equal("text/vcard; charset=utf-8");
    expect(answer.headers["content-disposition"]).to.contain("Jan Bos.vcf");
    expect(answer.text).to.contain("\r\nORG:Zaak\r\n").and.contain("\r\nEMAIL;TYPE=INTERNET:jan@example.com\r\n");
  });

  it("names only a client that the caller sees", async () => {
    const member = await tenant.member("admin");
    await tenant.group("Some", [second], [member.membershipId]);
    const answer = await member.get(`/contacts/${id}/vcard`);
    expect(answer.text).to.contain("\r\nORG:Andere\r\n").and.not.contain("Zaak");
    expect((await member.get(`/contacts/${first}/vcard`)).status).to.equal(404);
    const weak = await tenant.member("member", { grants: ["companies.company.read"] });
    expect((await weak.get(`/contacts/${id}/vcard`)).status).to.equal(403);
  });
});
