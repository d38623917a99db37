import { spawn } from "node:child_process";
import path from "node:path";
import { expect } from "chai";

const ROOT = path.join(import.meta.dirname, "../../..");
const PASSWORD = "the-password-nobody-may-read";
const MARK = "the disk is on fire";

/** The child's work: a service that logs to its standard output, and calls that carry or make secrets. */
const SCRIPT = `
  import { query } from "${ROOT}/core/database/query.ts";
  import { action } from "${ROOT}/core/declare/action.ts";
  import { answer } from "${ROOT}/core/schema/schema.ts";
  import { statement } from "${ROOT}/core/sql/statement.ts";
  import { service as actor } from "${ROOT}/mixins/resource.ts";
  import { createKey } from "${ROOT}/operator/organisations.ts";
  import { startService } from "${ROOT}/test/support/service.ts";
  import { inSession, postLogin, cookieIn } from "${ROOT}/test/support/sign-in.ts";
  const SLEEP = statement("select pg_sleep($1), $2::text");
  const proof = actor("proof.logs", { actions: { broken: action({
    rest: "POST /proof/broken", summary: "Fails", permission: "companies.company.write",
    handler() { throw new Error(${JSON.stringify(MARK)}); },
  }), slow: action({
    rest: "GET /proof/slow", summary: "Takes half a second", permission: "companies.company.read", returns: answer("ProofSlow", {}),
    async handler() { await query(SLEEP, [0.5, "secret-in-a-value"]); return {}; },
  }) } });
  const service = await startService({ SERVICE_LOG_LEVEL: "trace", SERVICE_SLOW_STATEMENT_MS: "500", SERVICE_SECRET: "main-secret-0123456789-abcdefghijklm" }, [proof]);
  const tenant = await service.tenant("logged");
  const person = await tenant.member("admin", { password: ${JSON.stringify(PASSWORD)} });
  const headers = { "X-Request-Id": "request-of-the-failure" };
  const broken = await tenant.owner.post("/proof/broken", undefined, { headers });
  await tenant.owner.get("/proof/slow", { headers: { "X-Request-Id": "request-of-the-sleep" } });
  await service.call("GET", "/companies", { host: tenant.host, headers: { Authorization: "Bearer " + tenant.owner.key } });
  await service.call("GET", "/companies?token=secret-in-the-query", { host: tenant.host, key: "kt_a-bad-key-somebody-typed" });
  await service.call("GET", "/leave/calendar.ics?token=secret-in-the-query", { host: tenant.host });
  const login = await postLogin(service.port, tenant.host, { username: person.email, password: ${JSON.stringify(PASSWORD)} });
  await postLogin(service.port, tenant.host, { username: person.email, password: ${JSON.stringify(PASSWORD)} + "-wrong" });
  const cookie = cookieIn(login);
  const session = inSession(service.port, tenant.host, cookie);
  const page = await session.get("/members");
  await session.post("/companies", "{");
  await session.post("/auth/logout");
  await service.sql.query("alter table companies rename to companies_away");
  const failed = await tenant.owner.get("/companies?q=secret-in-the-query");
  await service.sql.query("alter table companies_away rename to companies");
  await service.stop();
  process.send({ key: tenant.owner.key, cookie: cookie.split("=")[1], broken: broken.text, failed: failed.text, page: page.text, person: person.accountId });
`;

interface Reported {
  key: string;
  cookie: string;
  broken: string;
  failed: string;
  page: string;
  person: string;
}

describe("the log", () => {
  let log = "";
  let lines: Record<string, unknown>[] = [];
  let reported: Reported;

  before(async () => {
    const flags = ["--disable-warning=ExperimentalWarning", "--input-type=module-typescript", "--eval", SCRIPT];
    const child = spawn(process.execPath, flags, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe", "ipc"] });
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", (text: string) => (log += text));
    child.on("message", (message) => (reported = message as Reported));
    const status = await new Promise((resolve) => child.on("close", resolve));
    if (status !== 0) throw new Error(log);
    lines = log.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
  });

  it("holds an unexpected error with its request id and organisation, of which the answer says nothing", () => {
    const line = lines.find((entry) => JSON.stringify(entry).includes(MARK));
    expect(line).to.deep.include({ event: "api.request_failed", requestId: "request-of-the-failure", organisation: "logged" });
    expect(JSON.stringify(line)).to.contain("stack");
    expect(reported.broken).to.equal('{"error":{"code":"server_error","message":"errors.server"}}');
  });

  it("contains the database's complaint, which the answer does not", () => {
    expect(log).to.match(/relation .{1,2}companies.{1,2} does not exist|companies_search/);
    expect(reported.failed).to.equal('{"error":{"code":"server_error","message":"errors.server"}}');
  });

  it("has one line per request at info, with its action, organisation, caller, status, milliseconds and statements", () => {
    const requests = lines.filter(({ level, requestId, ms }) => level === 30 && requestId !== undefined && ms !== undefined);
    const created = requests.filter(({ msg }) => msg === "POST /api/v1/proof/broken");
    expect(created).to.have.length(1);
    expect(created[0]).to.include({
      event: "api.request",
      requestId: "request-of-the-failure",
      action: "proof.logs.broken",
      organisation: "logged",
      status: 500,
    });
    const read = requests.find(({ action }) => action === "companies.list");
    expect(read?.["status"]).to.be.a("number");
    expect(read?.["ms"]).to.be.a("number");
    const page = requests.find(({ msg }) => msg === "GET /api/v1/members");
    expect(page?.["statements"]).to.be.greaterThan(0);
    expect(page?.["caller"]).to.equal(reported.person);
    const refused = requests.filter(({ action, status }) => action === "companies.list" && status === 401);
    expect(refused.map(({ caller }) => caller)).to.deep.equal([null]);
  });

  it("has a line for slow statements, with their action, request, milliseconds and text", () => {
    const slow = lines.filter(({ event, action }) => event === "database.statement_was_slow" && action === "proof.logs.slow");
    expect(slow).to.have.length(1);
    expect(slow[0]).to.deep.include({
      level: 40,
      requestId: "request-of-the-sleep",
      statements: 1,
      sql: ["select pg_sleep($1), $2::text"],
    });
    expect(slow[0]?.["ms"]).to.be.at.least(500);
  });

  it("never holds a key, a cookie, a password, the main secret or a query", () => {
    expect(lines.length).to.be.greaterThan(3);
    const secrets = [
      reported.key,
      reported.key.split("_")[2] as string,
      reported.cookie,
      PASSWORD,
      "main-secret-0123456789",
      "secret-in-the-query",
      "secret-in-a-value",
      "kt_a-bad-key",
    ];
    for (const secret of secrets) expect(log).not.to.contain(secret);
  });

  it("leaves secrets to be in no answer either: members show no hash, no key", () => {
    expect(reported.page).not.to.match(/password|secret|argon2|token/i);
  });
});
