import { expect } from "chai";
import pg from "pg";
import { until } from "../../../support/jobs.ts";
import { type SigningOn, sessionIn, startSigningOn } from "../../../support/oidc/signing-on.ts";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { waitingFor } from "../../../support/waiting.ts";

describe("odd ways through the identity provider", () => {
  let service: TestService;
  let signing: SigningOn;
  let tenant: Tenant;
  const redirects = (answer: { status: number; headers: { location?: string } }) => [answer.status, answer.headers.location];
  const get = (path: string) => service.call("GET", path, { host: tenant.host });

  before(async () => {
    service = await sharedService();
    signing = await startSigningOn(service);
  });
  after(async () => {
    await signing.stop();
    await service.stop();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    await signing.use(tenant);
  });

  for (const query of ["state=%00", "code=%00", "error=%00", "iss=%00", "state=a&state=b", "other=%00"])
    it(`redirect to the sign-in page, never to JSON, on ${query}`, async () => {
      expect(redirects(await get(`/auth/oidc/callback?${query}`))).to.deep.equal([307, "/login?error=oidc"]);
    });

  it("drop a destination that no header can carry", async () => {
    const answer = await get("/auth/oidc/login?next=%2Faccount%00");
    expect([answer.status, answer.headers.location?.startsWith(signing.provider.issuer)]).to.deep.equal([302, true]);
  });

  it("let in a person whose membership another request has just made", async () => {
    const visitor = { sub: `late-${Date.now()}`, claims: { email: `late${Date.now()}@example.com`, email_verified: true } };
    const { email } = visitor.claims;
    await service.sql.query("insert into accounts (id, email, is_verified) values (gen_random_uuid(), $1, true)", [email]);
    const { location, cookie } = await signing.begin(tenant);
    const returned = await signing.back(location, visitor);
    const invite = new pg.Client({ connectionString: service.database.owner });
    await invite.connect();
    try {
      await invite.query("begin");
      await invite.query("select 1 from accounts where email = $1 for update", [email]);
      const answer = signing.callback(tenant, returned, cookie);
      await until(async () => (await waitingFor(invite)) > 0);
      await invite.query(
        `with m as (insert into memberships (organisation_id, account_id) select $1, id from accounts where email = $2 returning id)
         insert into membership_roles (organisation_id, membership_id, role_id)
           select $1, m.id, r.id from m, roles r where r.organisation_id = $1 and r.key = 'client' and r.is_system`,
        [tenant.organisation.id, email],
      );
      await invite.query("commit");
      const arrived = await answer;
      expect(redirects(arrived)).to.deep.equal([307, "/"]);
      expect(sessionIn(arrived)).to.not.equal("");
    } finally {
      await invite.end();
    }
  });
});
