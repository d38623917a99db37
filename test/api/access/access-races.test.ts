import { expect } from "chai";
import pg from "pg";
import type { Answer } from "../../support/http.ts";
import { until } from "../../support/jobs.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { inSession, postLogin, signIn } from "../../support/sign-in.ts";
import { totp } from "../../support/totp.ts";
import { waitingFor } from "../../support/waiting.ts";

const PASSWORD = "correct horse battery";

/** A check that passed when a request began may fail by the time it writes. */
describe("access that ends while a request waits", () => {
  let service: TestService;
  let tenant: Tenant;
  let person: Caller;
  let session: ReturnType<typeof inSession>;

  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());
  beforeEach(async () => {
    tenant = await service.tenant();
    person = await tenant.member("admin", { password: PASSWORD });
    session = inSession(service.port, tenant.host, await signIn(service.port, tenant.host, person.email, PASSWORD));
  });

  /** Sends a request that comes to wait for what `first` has locked, and commits after `then`. */
  async function behind(
    first: [string, ...unknown[]],
    then: [string, ...unknown[]],
    call: () => Promise<Answer>,
  ): Promise<Answer> {
    const other = new pg.Client({ connectionString: service.database.owner });
    await other.connect();
    try {
      await other.query("begin");
      await other.query(first[0], first.slice(1));
      const late = call();
      await until(async () => (await waitingFor(other)) === 1);
      await other.query(then[0], then.slice(1));
      await other.query("commit");
      return await late;
    } finally {
      await other.end();
    }
  }
  const liveKeys = async () =>
    (await service.sql.query("select name from api_keys where account_id = $1 and revoked_at is null", [person.accountId])).rows;

  it("a session that a reset ends does not put its own password in place of the new one", async () => {
    const { status } = await behind(
      ["update accounts set password_hash = 'another' where id = $1", person.accountId],
      ["select end_sessions($1, null)", person.accountId],
      () => session.patch("/users/me", { password: "the thief's own password" }),
    );
    expect(status).to.equal(401);
    const { rows } = await service.sql.query("select password_hash from accounts where id = $1", [person.accountId]);
    expect(rows[0].password_hash).to.equal("another");
  });

  it("an account that loses its keys gets no new one", async () => {
    await service.sql.query("update accounts set is_verified = false where id = $1", [person.accountId]);
    const { status } = await behind(
      ["select 1 from accounts where id = $1 for update", person.accountId],
      ["select strip_account($1)", person.accountId],
      () => session.post("/api-keys", { name: "Late", scopes: ["companies.company.read"] }),
    );
    expect(status).to.equal(401);
    expect(await liveKeys()).to.deep.equal([]);
  });

  it("a member who is removed leaves no key for the day of a new invite", async () => {
    const { status } = await behind(
      ["select 1 from memberships where id = $1 for update", person.membershipId],
      ["delete from memberships where id = $1", person.membershipId],
      () => session.post("/api-keys", { name: "Late", scopes: ["companies.company.read"] }),
    );
    expect(status).to.equal(403);
    expect((await liveKeys()).map(({ name }) => name)).to.not.include("Late");
  });

  it("a sign-in asks for the second factor that was confirmed while it was under way", async () => {
    const { body } = await session.post("/auth/2fa/setup");
    expect((await session.post("/auth/2fa/confirm", { code: totp(body.secret) })).status).to.equal(200);
    await service.sql.query("update two_factors set confirmed_at = null where account_id = $1", [person.accountId]);
    const { status, body: asked } = await behind(
      ["select 1 from accounts where id = $1 for update", person.accountId],
      ["update two_factors set confirmed_at = now() where account_id = $1", person.accountId],
      () => postLogin(service.port, tenant.host, { username: person.email, password: PASSWORD }),
    );
    expect([status, asked?.two_factor_required]).to.deep.equal([200, true]);
  });

  it("the second factor is not removed with a password that was replaced meanwhile", async () => {
    const { body } = await session.post("/auth/2fa/setup");
    expect((await session.post("/auth/2fa/confirm", { code: totp(body.secret) })).status).to.equal(200);
    const { status, body: refused } = await behind(
      ["update accounts set password_hash = 'another' where id = $1", person.accountId],
      ["select 1"],
      () => session.post("/auth/2fa/disable", { password: PASSWORD }),
    );
    expect([status, refused?.error.code]).to.deep.equal([400, "two_factor_password_invalid"]);
  });
});
