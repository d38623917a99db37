import { expect } from "chai";
import { companyListing } from "../../../../services/clients/companies/company.list.ts";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";

describe("statements a request about companies costs", () => {
  let service: TestService;
  let few: Tenant;
  let many: Tenant;
  const anyCompany = new Map<Tenant, string>();

  async function filled(companies: number): Promise<Tenant> {
    const tenant = await service.tenant();
    await service.sql.query(
      `insert into companies (id, organisation_id, name, client_number)
       select gen_random_uuid(), $1, 'Company ' || n, 'X' || n from generate_series(1, $2::int) n`,
      [tenant.organisation.id, companies],
    );
    await service.sql.query(
      `insert into company_assignees (organisation_id, company_id, account_id, is_primary)
       select organisation_id, id, $2, true from companies where organisation_id = $1`,
      [tenant.organisation.id, tenant.owner.accountId],
    );
    await service.sql.query(
      `insert into company_groups (id, organisation_id, name)
       select gen_random_uuid(), $1, 'Group ' || n from generate_series(1, $2::int / 3) n`,
      [tenant.organisation.id, companies],
    );
    await service.sql.query(
      `insert into company_group_companies (organisation_id, group_id, company_id)
       select $1, g.id, c.id from company_groups g, companies c where g.organisation_id = $1 and c.organisation_id = $1 and c.name like '%1'`,
      [tenant.organisation.id],
    );
    anyCompany.set(tenant, (await tenant.owner.get("/companies?limit=1")).body.items[0].id);
    return tenant;
  }
  before(async () => {
    service = await sharedService();
    few = await filled(3);
    many = await filled(300);
  });
  after(() => service.stop());

  /** Statements of one call by a cached caller. */
  async function costOf(tenant: Tenant, path: string): Promise<number> {
    await tenant.owner.get("/companies/groups");
    const { status, statements } = await tenant.owner.get(path.replace("{id}", anyCompany.get(tenant) as string));
    expect(status, path).to.equal(200);
    return statements;
  }

  const budgets: [path: string, most: number][] = [
    ["/companies?limit=200", 3],
    ["/companies?limit=200&status=lead,onboarding,active,offboarding,archived", 3],
    ["/companies?limit=200&count=false", 2],
    ["/companies?limit=200&sort=assignee&q=company&mine=true", 3],
    ["/companies?limit=200&hours=true", 6],
    ["/companies/{id}", 1],
    ["/companies/{id}/panels", 50],
    ["/companies/{id}/summary", 26],
    ["/companies/groups", 3],
  ];
  for (const [path, most] of budgets)
    it(`is at most ${most} for ${path}, for 3 rows as for 300`, async () => {
      const [one, other] = [await costOf(few, path), await costOf(many, path)];
      expect(one).to.be.within(1, most);
      expect(other).to.equal(one);
    });

  it("is at most 8 for a new member, one read included", async () => {
    const member = await many.member("member");
    await many.group("Narrow", [anyCompany.get(many) as string], [member.membershipId]);
    const { status, statements } = await member.get(`/companies/${anyCompany.get(many)}`);
    expect(status).to.equal(200);
    expect(statements).to.be.within(2, 8);
  });

  it("holds no COUNT with count=false", async () => {
    const wanted = { limit: 7, offset: 0, selection: null };
    for (const q of [undefined, "company"])
      for (const count of [true, false]) {
        const [{ text }] = companyListing.page(many.organisation.id, { ...wanted, q, count }).bound;
        expect(/count\(|_matches_|kept_counts/.test(text), `q=${q} count=${count}`).to.equal(count);
      }
    expect((await many.owner.get("/companies?count=false&limit=7")).body.total).to.equal(7);
    expect((await many.owner.get("/companies?limit=7")).body.total).to.equal(300);
  });
});
