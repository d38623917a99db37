import { expect } from "chai";
import pg from "pg";
import { createMember, createOrganisation } from "../../../operator/organisations.ts";
import { cloneDatabase } from "../../support/database.ts";
import { mailedTo } from "../../support/mail/mailed.ts";
import { type Caller, startService, type Tenant, type TestService } from "../../support/service.ts";
import { inSession, signIn } from "../../support/sign-in.ts";
import { totp } from "../../support/totp.ts";
import { cli, environmentOf } from "../cli/cli-support.ts";

const PASSWORD = "correct horse battery";
const NEXT = "another horse, another battery";

describe("mail about a changed account (access §3)", () => {
  let service: TestService;
  let tenant: Tenant;
  let person: Caller;
  let session: ReturnType<typeof inSession>;
  let cookie: string;

  /** Kinds and variables of the mails to the address so far. */
  const reported = async (address = person.email) => {
    await mailedTo(service.sql, address);
    const { rows } = await service.sql.query(
      "select kind, variables, link, account_id from mails where to_address = $1 and kind like '%-change' order by id",
      [address],
    );
    for (const row of rows) expect(row).to.deep.include({ link: null, account_id: person.accountId });
    return rows.map(({ kind, variables }) => [kind, variables]);
  };
  const open = async (who: Caller, password = PASSWORD) =>
    inSession(service.port, tenant.host, await signIn(service.port, tenant.host, who.email, password));
  const administrator = async () => {
    const admin = await tenant.member("admin", { password: PASSWORD });
    await service.sql.query("update accounts set is_superuser = true where id = $1", [admin.accountId]);
    return open(admin);
  };
  const enrol = async () => {
    const { secret } = (await session.post("/auth/2fa/setup")).body;
    expect((await session.post("/auth/2fa/confirm", { code: totp(secret) })).status).to.equal(200);
    // The present code may pass once more.
    await service.sql.query("update two_factors set last_step = 0 where account_id = $1", [person.accountId]);
    return secret as string;
  };

  before(async () => {
    service = await startService();
  });
  after(() => service.stop());
  beforeEach(async () => {
    tenant = await service.tenant();
    person = await tenant.member("member", { password: PASSWORD, name: "Bert Jansen" });
    cookie = await signIn(service.port, tenant.host, person.email, PASSWORD);
    session = inSession(service.port, tenant.host, cookie);
  });

  describe("reports a new password", () => {
    const change: [string, unknown][] = [["password-change", {}]];

    it("set by oneself, and of nothing where it is refused or only the name changes", async () => {
      expect((await session.patch("/users/me", { password: "short" })).status).to.equal(400);
      expect((await session.patch("/users/me", { full_name: "Bert", password: null })).status).to.equal(200);
      expect(await reported()).to.deep.equal([]);
      expect((await session.patch("/users/me", { password: NEXT })).status).to.equal(200);
      expect(await reported()).to.deep.equal(change);
      const { rows } = await service.sql.query("select m::text as row from mails m where to_address = $1", [person.email]);
      expect(JSON.stringify(rows)).to.not.contain(NEXT);
    });

    it("set with a mailed link, and stays silent where there was none before", async () => {
      await service.call("POST", "/auth/forgot-password", { host: tenant.host, body: { email: person.email } });
      const { token } = (await mailedTo(service.sql, person.email)).at(-1) as { token: string };
      const reset = (secret: string) =>
        service.call("POST", "/auth/reset-password", { host: tenant.host, body: { token: secret, password: NEXT } });
      expect((await reset(token)).status).to.equal(200);
      expect(await reported()).to.deep.equal(change);
      const fresh = `fresh${Date.now()}@example.com`;
      await tenant.owner.post("/members/invite", { email: fresh });
      const [invite] = await mailedTo(service.sql, fresh);
      expect((await reset(invite?.token as string)).status).to.equal(200);
      expect(await reported(fresh)).to.deep.equal([]);
    });

    it("set by an instance administrator", async () => {
      const root = await administrator();
      expect((await root.patch(`/users/${person.accountId}`, { password: NEXT })).status).to.equal(200);
      expect(await reported()).to.deep.equal(change);
    });
  });

  describe("reports a new address, to the old one", () => {
    it("chosen by oneself, and of nothing where it is the same in another case", async () => {
      const moved = `moved${Date.now()}@example.com`;
      await session.post("/users/me/email", { email: person.email.toUpperCase(), password: PASSWORD });
      expect(await reported()).to.deep.equal([]);
      expect((await session.post("/users/me/email", { email: moved, password: PASSWORD })).status).to.equal(200);
      expect(await reported()).to.deep.equal([["email-change", { address: moved }]]);
      expect(await reported(moved)).to.deep.equal([]);
    });

    it("given by an instance administrator, together with a new password", async () => {
      const root = await administrator();
      const moved = `given${Date.now()}@example.com`;
      expect((await root.patch(`/users/${person.accountId}`, { email: moved, password: NEXT })).status).to.equal(200);
      expect((await reported()).map(([kind]) => kind)).to.have.members(["email-change", "password-change"]);
      expect(await reported(moved)).to.deep.equal([]);
    });
  });

  describe("reports a change of the second factor", () => {
    const news = (...changes: string[]) => changes.map((change) => ["second-factor-change", { change }]);

    it("switched on, given new codes, and switched off by oneself", async () => {
      await session.post("/auth/2fa/setup");
      await session.post("/auth/2fa/confirm", { code: "000000" });
      await session.post("/auth/2fa/disable", {});
      expect(await reported()).to.deep.equal([]);
      const secret = await enrol();
      expect((await session.post("/auth/2fa/backup-codes", { code: totp(secret) })).status).to.equal(200);
      expect((await session.post("/auth/2fa/disable", { password: "wrong" })).status).to.equal(400);
      expect((await session.post("/auth/2fa/disable", { password: PASSWORD })).status).to.equal(204);
      expect(await reported()).to.deep.equal(news("on", "codes", "off"));
    });

    it("reset by a colleague, who may", async () => {
      await enrol();
      expect((await tenant.owner.delete(`/members/${person.membershipId}/two-factor`)).status).to.equal(204);
      expect((await tenant.owner.delete(`/members/${person.membershipId}/two-factor`)).status).to.equal(404);
      expect(await reported()).to.deep.equal(news("on", "off"));
    });

    it("but not the removal of an enrolment that was never confirmed, by whomever", async () => {
      await session.post("/auth/2fa/setup");
      expect((await tenant.owner.delete(`/members/${person.membershipId}/two-factor`)).status).to.equal(204);
      expect(await reported()).to.deep.equal([]);
    });

    it("that lost its phone number, once", async () => {
      await enrol();
      await service.sql.query("update two_factors set phone = '+31612345678', phone_confirmed_at = now() where account_id = $1", [
        person.accountId,
      ]);
      const call = { host: tenant.host, cookie };
      for (const _ of [1, 2]) expect((await service.call("DELETE", "/auth/2fa/sms", call)).status).to.equal(204);
      expect(await reported()).to.deep.equal(news("on", "no-phone"));
    });
  });
});

describe("mail about a password given on the command line", () => {
  it("goes to the owner, from the organisation the account is at home in; without one nothing does", async () => {
    const database = await cloneDatabase();
    const sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
    try {
      const organisation = await createOrganisation(sql, { slug: "noord", name: "Noord" });
      const email = "bert@noord.test";
      const { membershipId } = await createMember(sql, organisation.id, { email, role: "member", password: PASSWORD });
      const give = () => cli(environmentOf(database), ["user", "password", email, "--password-stdin"], NEXT);
      const reported = async () => (await sql.query("select kind, to_address, organisation_id from mails")).rows;
      const { status, err } = await give();
      expect([status, err]).to.deep.equal([0, ""]);
      const mail = { kind: "password-change", to_address: email, organisation_id: organisation.id };
      expect(await reported()).to.deep.equal([mail]);
      await sql.query("delete from memberships where id = $1", [membershipId]);
      expect((await give()).status).to.equal(0);
      expect(await reported()).to.deep.equal([mail]);
    } finally {
      await sql.end();
      await database.drop();
    }
  });
});
