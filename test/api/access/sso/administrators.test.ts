import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { signIn } from "../../../support/sign-in.ts";

const PASSWORD = "correct horse battery";

describe("an instance administrator's session made by single sign-on", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
  });
  after(() => service.stop());

  /** A new session of the administrator. */
  const session = async (method: "password" | "sso") => {
    const { email, accountId } = await tenant.member("admin", { password: PASSWORD });
    await service.sql.query("update accounts set is_superuser = true where id = $1", [accountId]);
    const cookie = await signIn(service.port, tenant.host, email, PASSWORD);
    await service.sql.query("update sessions set method = $2 where account_id = $1", [accountId, method]);
    return async (path: string) => (await service.call("GET", path, { host: tenant.host, cookie })).status;
  };

  it("proves the person to this organisation only: it opens no page of the installation", async () => {
    const [own, lent] = [await session("password"), await session("sso")];
    for (const path of ["//ops/jobs/figures", `/users/${tenant.owner.accountId}`])
      expect([await own(path), await lent(path)], path).to.deep.equal([200, 403]);
    expect(await lent("/companies")).to.equal(200);
  });
});
