import net from "node:net";
import { expect } from "chai";
import { send } from "../../support/http.ts";
import { keepEvents } from "../../support/jobs.ts";
import { sharedService, startService, type Tenant, type TestService } from "../../support/service.ts";
import { postLogin } from "../../support/sign-in.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe("headers of an answer", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
    await keepEvents(service);
    tenant = await service.tenant();
  });
  after(() => service.stop());

  it("echo the caller's X-Request-Id", async () => {
    for (const id of ["a", "trace-1.2_3", "x".repeat(128)])
      expect((await tenant.owner.get("/companies", { headers: { "X-Request-Id": id } })).headers["x-request-id"]).to.equal(id);
  });

  it("carry our own id if the caller sends none, or an invalid one", async () => {
    for (const id of [undefined, "", "x".repeat(129), "two words", "<script>", 'quote"', "é"]) {
      const headers: Record<string, string> = id === undefined ? {} : { "X-Request-Id": Buffer.from(id).toString("latin1") };
      expect((await tenant.owner.get("/companies", { headers })).headers["x-request-id"], id).to.match(UUID);
    }
  });

  it("carry the id on refusals and on readiness as well", async () => {
    const headers = { "X-Request-Id": "mine" };
    for (const call of [
      tenant.owner.get("/nothing", { headers }),
      tenant.owner.get("/companies/not-an-id", { headers }),
      service.call("GET", "/companies", { host: tenant.host, headers }),
      service.call("GET", "//health/ready", { headers }),
    ])
      expect((await call).headers["x-request-id"]).to.equal("mine");
  });

  it("reach the trail's event: the outbox keeps the request's id", async () => {
    const { body } = await tenant.owner.post("/companies", { name: "Traced" }, { headers: { "X-Request-Id": "trace-me" } });
    const { rows } = await service.sql.query("select request_id from outbox where entity_id = $1", [body.id]);
    expect(rows).to.deep.equal([{ request_id: "trace-me" }]);
  });

  it("say nothing about other origins: no CORS", async () => {
    const headers = { Origin: "http://other.test", "Access-Control-Request-Method": "POST" };
    for (const method of ["GET", "OPTIONS"]) {
      const answer = await service.call(method, "/companies", { host: tenant.host, key: tenant.owner.key, headers });
      expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))).to.deep.equal([]);
    }
  });

  it("make no promise about caching data, and forbid sniffing, loading and framing", async () => {
    const { headers } = await tenant.owner.get("/companies");
    expect(headers["cache-control"]).to.equal(undefined);
    expect(headers["x-content-type-options"]).to.equal("nosniff");
    expect(headers["content-security-policy"]).to.equal("default-src 'none'; base-uri 'none'; frame-ancestors 'none'");
    expect(headers["content-type"]).to.equal("application/json; charset=utf-8");
    expect(headers["x-powered-by"]).to.equal(undefined);
    expect(headers["server"]).to.equal(undefined);
  });

  it("carry an ETag on the read of one row, and on the answer of its writes, not on lists", async () => {
    const created = await tenant.owner.post("/companies", { name: "Tagged" });
    const read = await tenant.owner.get(`/companies/${created.body.id}`);
    const patched = await tenant.owner.patch(`/companies/${created.body.id}`, { city: "X" });
    expect(created.headers["etag"]).to.equal(read.headers["etag"]);
    expect(patched.headers["etag"]).not.to.equal(read.headers["etag"]);
    expect((await tenant.owner.get("/companies")).headers["etag"]).to.equal(undefined);
  });

  it("of a 204 promise no body", async () => {
    const { id } = await tenant.company();
    const { status, text, headers } = await tenant.owner.delete(`/companies/${id}`);
    expect([status, text]).to.deep.equal([204, ""]);
    expect(headers["content-length"]).to.equal(undefined);
    expect(headers["content-type"]).to.equal(undefined);
  });

  it("set no cookie before a sign-in", async () => {
    expect((await tenant.owner.get("/companies")).headers["set-cookie"]).to.equal(undefined);
    const refused = await postLogin(service.port, tenant.host, { username: "a@b.test", password: "x" });
    expect(refused.headers["set-cookie"]).to.equal(undefined);
  });
});

describe("Strict-Transport-Security (conventions §14)", () => {
  const everywhere = async ({ port }: TestService, { host, owner }: Tenant) => {
    const at = (path: string, call = {}) => send(port, "GET", path, { host, ...call });
    const answers = [
      owner.get("/companies"),
      owner.get("/nothing"),
      at("/companies"),
      at("/companies", { host: "unknown.test" }),
      at("//health/ready"),
      at("//"),
      at("//login"),
      at("//api/openapi.json"),
      at("//api/docs/"),
      at("//mcp"),
      at("//ops/jobs"),
      at("//.well-known/oauth-authorization-server"),
      owner.get("/impex/company/template?format=csv"),
      owner.get("/notifications/stream"),
      owner.delete(`/companies/${(await owner.post("/companies", { name: "Gone" })).body.id}`),
      send(port, "POST", "/auth/login", { host, body: "x", headers: { "Content-Type": "text/plain" } }),
    ];
    return Promise.all(answers);
  };
  const unparsed = (port: number): Promise<string> =>
    new Promise((resolve, reject) => {
      const parts: Buffer[] = [];
      const socket = net.connect(port, "127.0.0.1", () => socket.write("NONSENSE\r\n\r\n"));
      socket.on("data", (part) => parts.push(part));
      socket.on("close", () => resolve(Buffer.concat(parts).toString()));
      socket.on("error", reject);
    });

  it("is on every answer under a public https scheme: data, pages, refusals, files, streams, and invalid HTTP", async () => {
    const service = await startService({ SERVICE_PUBLIC_SCHEME: "https" });
    try {
      const answers = await everywhere(service, await service.tenant());
      const value = "max-age=31536000";
      expect(answers.map(({ headers }) => headers["strict-transport-security"])).to.deep.equal(answers.map(() => value));
      expect(new Set(answers.map(({ status }) => status))).to.include.members([200, 204, 302, 401, 404]);
      expect(await unparsed(service.port))
        .to.contain(`Strict-Transport-Security: ${value}\r\n`)
        .and.contain("nosniff");
    } finally {
      await service.stop();
    }
  });

  it("is on no answer under http", async () => {
    const service = await sharedService();
    const answers = await everywhere(service, await service.tenant());
    expect(answers.filter(({ headers }) => "strict-transport-security" in headers)).to.deep.equal([]);
    expect(await unparsed(service.port)).to.not.contain("Strict-Transport");
    await service.stop();
  });
});
