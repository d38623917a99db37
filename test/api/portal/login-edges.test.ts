import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { makeLogin } from "./portal.ts";

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
});
