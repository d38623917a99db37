import { expect } from "chai";
import { send } from "../../support/http.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { inSession, signIn } from "../../support/sign-in.ts";

const PASSWORD = "correct horse battery";

/** RFC 9562 §4: an id is read in either case. */
describe("ids in upper case", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const made = async (path: string, body: object): Promise<string> => {
    const answer = await tenant.owner.post(path, body);
    expect(answer.status, answer.text).to.equal(201);
    return answer.body.id;
  };

  it("end the session that they name, and sign out of it", async () => {
    const person = await tenant.member("member", { password: PASSWORD });
    const cookie = await signIn(service.port, tenant.host, person.email, PASSWORD);
    const [{ id }] = (await inSession(service.port, tenant.host, cookie).get("/auth/sessions")).body;
    const ended = await send(service.port, "DELETE", `/auth/sessions/${id.toUpperCase()}`, { host: tenant.host, cookie });
    expect(ended.status).to.equal(204);
    expect(ended.headers["set-cookie"]?.[0]).to.match(/Max-Age=0/);
  });

  it("name the record itself, not another one that it clashes with", async () => {
    const contract = { user_id: tenant.owner.accountId, contract_hours_per_week: 32, start_date: "2029-01-01" };
    const id = await made("/leave/contracts", contract);
    const { status, text } = await tenant.owner.patch(`/leave/contracts/${id.toUpperCase()}`, { contract_hours_per_week: 24 });
    expect(status, text).to.equal(200);
  });

  it("are kept in lower case", async () => {
    const rate = (await tenant.owner.get("/invoicing/tax-rates")).body[0].id as string;
    const settings = await tenant.owner.put("/invoicing/settings", { default_tax_rate_id: rate.toUpperCase() });
    expect(settings.body.default_tax_rate_id).to.equal(rate);
    const company_id = (await tenant.company()).id as string;
    const draft = await tenant.owner.put("/time/drafts/2029-01-02", { company_id: company_id.toUpperCase() });
    expect(draft.text).to.include(company_id);
  });

  it("count once in a list that has them in both cases", async () => {
    const company_id = (await tenant.company()).id as string;
    const contact = await made("/contacts", { first_name: "Kees", company_ids: [company_id, company_id.toUpperCase()] });
    const { body } = await tenant.owner.get(`/contacts/${contact}`);
    expect(body.companies.map((link: { company_id: string }) => link.company_id)).to.deep.equal([company_id]);
  });
});
