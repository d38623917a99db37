import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { RateLimiter } from "../../../core/http/rate-limit.ts";
import { createKey } from "../../../operator/organisations.ts";
import { type Answer, send } from "../../support/http.ts";
import { visitPage } from "../../support/pages.ts";
import { type Caller, startService, type Tenant, type TestService } from "../../support/service.ts";
import { inSession, postLogin, signIn } from "../../support/sign-in.ts";
import { totp } from "../../support/totp.ts";

const PASSWORD = "correct horse battery";
const LIMITED = { error: { code: "rate_limited", message: "errors.rate_limited" } };
const MINUTE = 60_000;

/** Waits for the next clock minute when this one is about to end, so that a window does not close under a test. */
const roomInTheMinute = async (milliseconds = 20_000) => {
  const left = MINUTE - (Date.now() % MINUTE);
  if (left < milliseconds) await sleep(left + 50);
};
const statuses = (answers: Answer[]) => answers.map(({ status }) => status);
const times = async <T>(count: number, call: () => Promise<T>): Promise<T[]> => {
  const made: T[] = [];
  for (let n = 0; n < count; n++) made.push(await call());
  return made;
};

describe("calls of one key", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await startService({ SERVICE_RATE_LIMIT_PER_KEY: "25" });
    tenant = await service.tenant();
  });
  after(() => service.stop());
  beforeEach(() => roomInTheMinute());
  const newKey = (scopes = ["companies.company.read"]) =>
    createKey(service.sql, tenant.organisation.id, "kt", { name: "counted", scopes, accountId: tenant.owner.accountId });

  it("are 25 a minute: the 26th is 429 and says when to come back", async () => {
    const { value: key } = await newKey();
    const answers = await times(25, () => tenant.owner.get("/companies", { key }));
    expect(statuses(answers)).to.deep.equal(Array(25).fill(200));
    expect(answers.map(({ headers }) => headers["ratelimit-remaining"])).to.deep.equal(
      Array.from({ length: 25 }, (_, index) => String(24 - index)),
    );
    const left = () => Math.ceil((MINUTE - (Date.now() % MINUTE)) / 1000);
    const before = left();
    const { status, body, headers } = await tenant.owner.get("/companies", { key });
    expect(status).to.equal(429);
    expect(body).to.deep.equal(LIMITED);
    expect(headers).to.deep.include({ "ratelimit-limit": "25", "ratelimit-remaining": "0" });
    expect(Number(headers["retry-after"])).to.be.within(1, 60);
    expect(headers["retry-after"]).to.equal(headers["ratelimit-reset"]);
    expect(Number(headers["retry-after"])).to.be.within(left(), before);
  });

  it("are exact when all come at once", async () => {
    const { value: key } = await newKey();
    const answers = await Promise.all(Array.from({ length: 40 }, () => tenant.owner.get("/companies", { key })));
    expect(statuses(answers).filter((status) => status === 200)).to.have.length(25);
    expect(statuses(answers).filter((status) => status === 429)).to.have.length(15);
  });

  it("count whether they succeed or fail", async () => {
    const { value: key } = await newKey();
    const failing = ["/roles", "/companies/not-an-id", "/companies?sort=x", "/companies/01890000-0000-7000-8000-000000000000"];
    const answers = [];
    for (let n = 0; n < 25; n++) answers.push(await tenant.owner.get(failing[n % 4] as string, { key }));
    expect(new Set(statuses(answers))).to.deep.equal(new Set([403, 422, 400, 404]));
    expect((await tenant.owner.get("/companies", { key })).status).to.equal(429);
  });

  it("come before membership, permission and validation: 429 for every request", async () => {
    const { value: key } = await newKey();
    await times(25, () => tenant.owner.get("/companies", { key }));
    expect((await tenant.owner.get("/roles", { key })).status).to.equal(429);
    expect((await tenant.owner.post("/companies", "{", { key })).status).to.equal(429);
  });

  it("count only when the secret was right", async () => {
    const { value: key } = await newKey();
    const wrong = `${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}`;
    const refused = await times(30, () => tenant.owner.get("/companies", { key: wrong }));
    expect(statuses(refused)).to.deep.equal(Array(30).fill(401));
    expect(refused[0]?.headers["ratelimit-limit"]).to.equal(undefined);
    expect((await tenant.owner.get("/companies", { key })).headers["ratelimit-remaining"]).to.equal("24");
  });

  it("of another key, and of a session, have budgets of their own", async () => {
    const { value: key } = await newKey();
    await times(26, () => tenant.owner.get("/companies", { key }));
    expect((await tenant.owner.get("/companies", { key: (await newKey()).value })).status).to.equal(200);
    const person = await tenant.member("member", { password: PASSWORD });
    const session = inSession(service.port, tenant.host, await signIn(service.port, tenant.host, person.email, PASSWORD));
    expect(statuses(await times(30, () => session.get("/companies")))).to.deep.equal(Array(30).fill(200));
  });

  it("of a key that was revoked while over its limit are 401", async () => {
    const { id, value: key } = await newKey();
    expect((await times(26, () => tenant.owner.get("/companies", { key }))).at(-1)?.status).to.equal(429);
    await service.sql.query("update api_keys set revoked_at = now() where id = $1", [id]);
    expect((await tenant.owner.get("/companies", { key })).status).to.equal(401);
  });

  it("are those by tools of MCP as well: each message is one, a tool the one call that it is", async () => {
    const { value: key } = await newKey();
    const message = (method: string, params: object) =>
      send(service.port, "POST", "//mcp", {
        ...{ host: tenant.host, key, headers: { Accept: "application/json, text/event-stream" } },
        body: { jsonrpc: "2.0", id: 1, method, params },
      });
    const tool = () => message("tools/call", { name: "find_client", arguments: {} });
    const left = [await message("tools/list", {}), await tool(), await message("tools/call", { name: "search_tools" })];
    expect(left.map(({ headers }) => headers["ratelimit-remaining"])).to.deep.equal(["24", "23", "22"]);
    const noKey = { name: "log_time", arguments: { idempotency_key: "" } };
    expect((await message("tools/call", noKey)).headers["ratelimit-remaining"]).to.equal("21");
    expect((await message("tools/call", { name: "find_client", _meta: 7 })).headers["ratelimit-remaining"]).to.equal("20");
    await times(20, tool);
    const { status, body } = await tool();
    expect([status, body.result.isError]).to.deep.equal([200, true]);
    const { retry_after: wait, ...envelope } = body.result.structuredContent;
    expect([envelope, wait]).to.deep.equal([{ ...LIMITED, status: 429 }, Number(wait)]);
    expect(wait).to.be.within(1, 60);
    const refused = await message("tools/list", {});
    expect([refused.status, refused.body]).to.deep.equal([429, LIMITED]);
    expect((await tenant.owner.get("/companies", { key })).status).to.equal(429);
  });

  it("pass while the counter store is down", async () => {
    const { value: key } = await newKey();
    await service.sql.query("alter table rate_windows rename to rate_windows_away");
    try {
      const answers = await times(30, () => tenant.owner.get("/companies", { key }));
      expect(statuses(answers)).to.deep.equal(Array(30).fill(200));
    } finally {
      await service.sql.query("alter table rate_windows_away rename to rate_windows");
    }
  });

  it("of several nodes never exceed the limit together, and waste at most a lease per further node", async () => {
    const fail = (error: unknown) => {
      throw error;
    };
    for (const limit of [1, 25, 100, 600]) {
      const nodes = [new RateLimiter(limit, fail), new RateLimiter(limit, fail), new RateLimiter(limit, fail)];
      const now = 1_000_000 * MINUTE + 1;
      const bucket = `nodes of ${limit}`;
      const took = async (node: RateLimiter) => (await node.take(bucket, now))?.allowed === true;
      let allowed = 0;
      for (let call = 0; call < limit * 2 + 30; call++)
        if (await took(nodes[call % 7 === 0 ? 0 : call % 3] as RateLimiter)) allowed += 1;
      expect(allowed, String(limit)).to.be.at.most(limit);
      expect(allowed, String(limit)).to.be.at.least(limit - 2 * Math.max(1, Math.floor(limit / 20)));
      const together = await Promise.all(
        Array.from({ length: limit + 40 }, (_, n) => nodes[n % 3]?.take(`at once ${limit}`, now)),
      );
      expect(together.filter((budget) => budget?.allowed).length).to.be.at.most(limit);
    }
  });

  it("start at zero with the next clock minute, not a minute after the first call", async () => {
    const node = new RateLimiter(3, () => {});
    const endOfMinute = 2_000_000 * MINUTE - 1;
    const take = async (now: number) => await node.take("clock", now);
    for (const allowed of [true, true, true, false]) expect((await take(endOfMinute))?.allowed).to.equal(allowed);
    expect(await take(endOfMinute)).to.deep.equal({ allowed: false, limit: 3, remaining: 0, reset: 1 });
    expect(await take(endOfMinute + 1)).to.deep.equal({ allowed: true, limit: 3, remaining: 2, reset: 60 });
  });

  it("leave no windows behind for long", async () => {
    await service.sql.query("insert into rate_windows values ('old', 5, 1), ('now', extract(epoch from now())::bigint / 60, 1)");
    await RateLimiter.sweep();
    const { rows } = await service.sql.query("select bucket from rate_windows where bucket in ('old', 'now')");
    expect(rows).to.deep.equal([{ bucket: "now" }]);
  });
});

describe("sign-in attempts", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await startService({ SERVICE_RATE_LIMIT_SIGN_IN: "10", SERVICE_TRUSTED_PROXIES: "127.0.0.1,10.0.0.0/8" });
    tenant = await service.tenant();
  });
  after(() => service.stop());
  beforeEach(() => roomInTheMinute(30_000));
  const login = (password: string, forwarded: string, host = tenant.host) =>
    postLogin(service.port, host, { username: tenant.owner.email, password }, { "X-Forwarded-For": forwarded });

  it("are 10 a minute, the right password included", async () => {
    const person = await tenant.member("member", { password: PASSWORD });
    const right = () =>
      postLogin(service.port, tenant.host, { username: person.email, password: PASSWORD }, { "X-Forwarded-For": "203.0.113.1" });
    expect(statuses(await times(5, () => login("wrong", "203.0.113.1")))).to.deep.equal(Array(5).fill(400));
    expect(statuses(await times(5, right))).to.deep.equal(Array(5).fill(204));
    const { status, body, headers } = await right();
    expect(status).to.equal(429);
    expect(body).to.deep.equal(LIMITED);
    expect(Number(headers["retry-after"])).to.be.within(1, 60);
    expect(headers["ratelimit-limit"]).to.equal("10");
  });

  it("count per host and address: another host or address has its own", async () => {
    const other = await service.tenant();
    expect(statuses(await times(11, () => login("wrong", "203.0.113.2"))).at(-1)).to.equal(429);
    expect((await login("wrong", "203.0.113.2", other.host)).status).to.equal(400);
    expect((await login("wrong", "203.0.113.3")).status).to.equal(400);
    expect((await login("wrong", "2001:db8::1")).status).to.equal(400);
  });

  it("are of the right-most forwarded address that is not itself trusted", async () => {
    expect(statuses(await times(11, () => login("wrong", "203.0.113.4"))).at(-1)).to.equal(429);
    for (const forwarded of [
      "198.51.100.9, 203.0.113.4",
      "203.0.113.4, 10.1.2.3",
      "203.0.113.4,10.1.2.3, 127.0.0.1",
      "x, 203.0.113.4",
    ])
      expect((await login("wrong", forwarded)).status, forwarded).to.equal(429);
    for (const forwarded of ["203.0.113.4, 198.51.100.9", "203.0.113.4, 198.51.100.9, 10.1.2.3"])
      expect((await login("wrong", forwarded)).status, forwarded).to.equal(400);
  });

  it("are of the socket if every forwarded address is trusted or none is valid", async () => {
    await times(10, () => login("wrong", "10.9.9.9"));
    for (const forwarded of ["10.9.9.9", "", "nonsense", "127.0.0.1"])
      expect((await login("wrong", forwarded)).status, forwarded).to.equal(429);
  });

  it("that name no field count too", async () => {
    const empty = () => postLogin(service.port, tenant.host, {}, { "X-Forwarded-For": "203.0.113.5" });
    expect(statuses(await times(11, empty))).to.deep.equal([...Array(10).fill(422), 429]);
  });

  it("are refused after the host: an unknown one stays 404, and is counted nowhere", async () => {
    const answers = await times(12, () => login("wrong", "203.0.113.6", "nobody.kantoor.test"));
    expect(statuses(answers)).to.deep.equal(Array(12).fill(404));
    const { rows } = await service.sql.query("select 1 from rate_windows where bucket like '%nobody%'");
    expect(rows).to.deep.equal([]);
  });
});

describe("without trusted proxies, and with limits of 0", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await startService({ SERVICE_RATE_LIMIT_SIGN_IN: "3", SERVICE_RATE_LIMIT_PER_KEY: "0" });
    tenant = await service.tenant();
  });
  after(() => service.stop());

  it("every forwarded address is ignored", async () => {
    await roomInTheMinute();
    let turn = 0;
    const login = () =>
      postLogin(service.port, tenant.host, { username: "a@b.test", password: "x" }, { "X-Forwarded-For": `203.0.113.${turn++}` });
    expect(statuses(await times(4, login))).to.deep.equal([400, 400, 400, 429]);
  });

  it("a limit of 0 means no limit, and omits budgets", async () => {
    const answers = await times(60, () => tenant.owner.get("/permissions/catalog"));
    expect(statuses(answers)).to.deep.equal(Array(60).fill(200));
    expect(answers[0]?.headers["ratelimit-limit"]).to.equal(undefined);
  });
});

describe("wrong current passwords", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await startService({ SERVICE_RATE_LIMIT_SIGN_IN: "4" });
    tenant = await service.tenant();
  });
  after(() => service.stop());

  it("count per account, over all calls, and the right one is refused too once over", async function () {
    this.timeout(90_000);
    const [person, other] = [
      await tenant.member("member", { password: PASSWORD }),
      await tenant.member("member", { password: PASSWORD }),
    ];
    const open = async ({ email }: Caller) =>
      inSession(service.port, tenant.host, await signIn(service.port, tenant.host, email, PASSWORD));
    const [session, second, stranger] = [await open(person), await open(person), await open(other)];
    const enrolment = (await session.post("/auth/2fa/setup")).body;
    expect((await session.post("/auth/2fa/confirm", { code: totp(enrolment.secret) })).status).to.equal(200);
    await roomInTheMinute();
    const move = (who: typeof session, password: string) =>
      who.post("/users/me/email", { email: `moved${Date.now()}@example.com`, password });
    const disable = (password: string) => session.post("/auth/2fa/disable", { password });
    const answers = [
      await move(session, "wrong"),
      await disable("wrong"),
      await move(second, "wrong"),
      await disable("wrong"),
      await disable(PASSWORD),
      await move(second, PASSWORD),
    ];
    expect(statuses(answers)).to.deep.equal([400, 400, 400, 400, 429, 429]);
    const [last] = answers.slice(-1);
    expect(last?.body).to.deep.equal(LIMITED);
    expect(Number(last?.headers["retry-after"])).to.be.within(1, 60);
    expect((await move(stranger, PASSWORD)).status, "another account has its own").to.equal(200);
    expect((await session.get("/auth/2fa")).body.enabled).to.equal(true);
  });

  it("are not asked for where nothing is confirmed, and then not counted", async function () {
    this.timeout(90_000);
    const person = await tenant.member("member", { password: PASSWORD });
    const session = inSession(service.port, tenant.host, await signIn(service.port, tenant.host, person.email, PASSWORD));
    await roomInTheMinute();
    expect(statuses(await times(6, () => session.post("/auth/2fa/disable", {})))).to.deep.equal(Array(6).fill(204));
  });

  it("count the same in the form of one's own page", async function () {
    this.timeout(90_000);
    const { host, ...other } = await service.tenant();
    const person = await other.member("member", { password: PASSWORD });
    const cookie = await signIn(service.port, host, person.email, PASSWORD);
    await roomInTheMinute();
    const move = (password: string) =>
      visitPage(service.port, host, "POST", "/account/email", {
        cookie,
        form: { email: `moved${Date.now()}@example.com`, password },
      });
    for (let n = 0; n < 3; n++) expect((await move("wrong")).status).to.equal(400);
    const session = inSession(service.port, host, cookie);
    expect((await session.post("/users/me/email", { email: "moved@example.com", password: "wrong" })).status).to.equal(400);
    expect((await move(PASSWORD)).status).to.equal(429);
    expect((await session.get("/users/me")).body.email).to.equal(person.email);
  });
});
