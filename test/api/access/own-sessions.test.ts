import { expect } from "chai";
import { send } from "../../support/http.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { inSession, signIn } from "../../support/sign-in.ts";

const PASSWORD = "correct horse battery";

describe("one's own sessions", () => {
  let service: TestService;
  let tenant: Tenant;
  let person: Caller;
  const open = async () => signIn(service.port, tenant.host, person.email, PASSWORD);
  const as = (cookie: string) => inSession(service.port, tenant.host, cookie);
  const end = (cookie: string, id: string) => send(service.port, "DELETE", `/auth/sessions/${id}`, { host: tenant.host, cookie });

  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());
  beforeEach(async () => {
    tenant = await service.tenant();
    person = await tenant.member("member", { password: PASSWORD });
  });

  it("are listed with everything but the cookie, newest use first, the present one marked", async () => {
    const [first, second] = [await open(), await open()];
    const { status, body, text } = await as(second).get("/auth/sessions");
    expect(status).to.equal(200);
    expect(body).to.have.length(2);
    expect(body[0]).to.have.all.keys(
      "id",
      "created_at",
      "last_used_at",
      "expires_at",
      "address",
      "user_agent",
      "method",
      "current",
    );
    expect(body.map(({ current }: { current: boolean }) => current)).to.deep.equal([true, false]);
    expect(body[0]).to.include({ method: "password", address: "127.0.0.1" });
    for (const cookie of [first, second]) expect(text).to.not.contain(cookie.split("=")[1]);
  });

  it("are with updated_since those made or used at or after that instant", async () => {
    const [idle, cookie] = [await open(), await open()];
    const [, old] = (await as(cookie).get("/auth/sessions")).body;
    await service.sql.query(
      "update sessions set created_at = '2026-01-01T00:00:00Z', last_used_at = '2026-03-01T12:00:00Z' where id = $1",
      [old.id],
    );
    const since = async (instant: string) =>
      (await as(cookie).get(`/auth/sessions?updated_since=${encodeURIComponent(instant)}`)).body.length;
    expect(await since("2026-03-01T12:00:00Z"), "inclusive").to.equal(2);
    expect(await since("2026-03-01T12:00:01Z")).to.equal(1);
    expect(await since("2026-02-01T00:00:00Z"), "used since, although older").to.equal(2);
    expect(await since("2100-01-01T00:00:00Z")).to.equal(0);
    expect((await as(idle).get("/companies")).status).to.equal(200);
  });

  it("leave out ended and expired ones, and other people's", async () => {
    const cookie = await open();
    await as(await open()).post("/auth/logout");
    await open();
    await service.sql.query(
      "update sessions set expires_at = now() where id = (select id from sessions where account_id = $1 order by created_at desc limit 1)",
      [person.accountId],
    );
    const other = await tenant.member("member", { password: PASSWORD });
    await signIn(service.port, tenant.host, other.email, PASSWORD);
    expect((await as(cookie).get("/auth/sessions")).body).to.have.length(1);
  });

  it("end one by one: 401 at once, and a second time 404", async () => {
    const [first, second] = [await open(), await open()];
    const [, old] = (await as(second).get("/auth/sessions")).body;
    expect((await end(second, old.id)).status).to.equal(204);
    expect((await as(first).get("/companies")).status).to.equal(401);
    expect((await end(second, old.id)).status).to.equal(404);
    expect((await as(second).get("/companies")).status).to.equal(200);
  });

  it("ending the present one is a logout", async () => {
    const cookie = await open();
    const [own] = (await as(cookie).get("/auth/sessions")).body;
    const answer = await end(cookie, own.id);
    expect(answer.status).to.equal(204);
    expect(answer.headers["set-cookie"]?.[0]).to.contain("Max-Age=0");
    expect((await as(cookie).get("/companies")).status).to.equal(401);
  });

  it("another person's is 404, and a key gets 401", async () => {
    const other = await tenant.member("member", { password: PASSWORD });
    const theirs = await signIn(service.port, tenant.host, other.email, PASSWORD);
    const [foreign] = (await as(theirs).get("/auth/sessions")).body;
    expect((await end(await open(), foreign.id)).status).to.equal(404);
    expect((await as(theirs).get("/auth/sessions")).status).to.equal(200);
    expect((await person.get("/auth/sessions")).status).to.equal(401);
  });

  it("work in a session made by SSO", async () => {
    const cookie = await open();
    await service.sql.query("update sessions set method = 'sso' where account_id = $1", [person.accountId]);
    const [own] = (await as(cookie).get("/auth/sessions")).body;
    expect(own.method).to.equal("sso");
    expect((await end(cookie, own.id)).status).to.equal(204);
  });
});
