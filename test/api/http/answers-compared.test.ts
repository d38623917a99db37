import { expect } from "chai";
import { compareAnswer } from "../../support/run/answered.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";

describe("the comparison of every test's answers with the reference", () => {
  let service: TestService;
  let tenant: Tenant;
  let company: Record<string, unknown>;
  const compare = (body: unknown) => () => compareAnswer(service.port, "GET", `/companies/${company["id"]}?x=1`, 200, body);

  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    const { id } = await tenant.company();
    company = (await tenant.owner.get(`/companies/${id}`)).body;
  });
  after(() => service.stop());

  it("accepts what the action declares", () => {
    expect(compare(company)).not.to.throw();
  });

  it("refuses a missing, an undeclared and a wrong property, and names it", () => {
    const { name: _name, ...nameless } = company;
    expect(compare(nameless)).to.throw(/companies\.\w+ does not declare.*'name'/s);
    expect(compare({ ...company, secret: "x" })).to.throw(/secret/);
    expect(compare({ ...company, status: 7 })).to.throw(/\/status must be string/);
  });
});
