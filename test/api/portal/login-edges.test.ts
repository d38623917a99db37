import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { browser, freshAddress, lookInto, makeLogin, PASSWORD } from "./portal.ts";

describe("portal logins at the edges of other rules", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());
  beforeEach(async () => {
    tenant = await service.tenant();
  });

  it("get a name no longer than an account's, however long the contact's two are", async () => {
    const email = freshAddress();
    const first_name = "😀".repeat(200);
    const { body } = await tenant.owner.post("/contacts", { first_name, last_name: "B".repeat(200), email });
    expect((await tenant.owner.post(`/portal/logins/contact/${body.id}`)).status).to.equal(200);
    const { rows } = await service.sql.query("select full_name from accounts where email = $1", [email]);
    expect(rows[0].full_name).to.equal(`${first_name} ${"B".repeat(54)}`);
  });

  describe("enabled again by a caller who sees some of its clients", () => {
    let admin: Caller;
    let login: Awaited<ReturnType<typeof makeLogin>>;
    beforeEach(async () => {
      const [seen, hidden] = [await tenant.company(), await tenant.company()];
      admin = await tenant.member("admin");
      await tenant.group("Own", [seen.id], [admin.membershipId]);
      login = await makeLogin(service, tenant, [seen.id, hidden.id]);
    });
    const membership = async () =>
      (await service.sql.query("select id from memberships where account_id = $1", [login.accountId])).rows[0]?.id;

    it("are restored as they were", async () => {
      expect((await admin.delete(login.path)).status).to.equal(200);
      expect((await admin.post(login.path)).body.status).to.equal("active");
    });

    it("are refused once revoked: a new membership would see a client the caller does not see", async () => {
      expect((await tenant.owner.delete(`/members/${await membership()}`)).status).to.equal(204);
      const { status, body } = await admin.post(login.path);
      expect([status, body.error?.code]).to.deep.equal([403, "forbidden"]);
      expect(await membership()).to.equal(undefined);
      expect((await tenant.owner.post(login.path)).body.status).to.equal("active");
    });
  });

  it("cannot approve a client while a member of the staff acts in them, and the page's data say so", async () => {
    const login = await makeLogin(service, tenant, [(await tenant.company()).id]);
    await service.sql.query(
      "update roles set permissions = '{apikeys.personal.manage,companies.company.read}' where organisation_id = $1 and key = 'client'",
      [tenant.organisation.id],
    );
    const admin = await tenant.member("admin", { password: PASSWORD });
    const redirect = "https://app.example.com/callback";
    const registered = await service.call("POST", "/oauth/register", { host: tenant.host, body: { redirect_uris: [redirect] } });
    const path = `/oauth/consent?${new URLSearchParams({ client_id: registered.body.client_id, redirect_uri: redirect })}`;
    const { as, own } = await lookInto(service, tenant, admin, login);
    expect((await browser(service, tenant.host, own.cookie).get(path)).body.may_approve).to.equal(true);
    expect((await as.get(path)).body.may_approve).to.equal(false);
  });
});
