import http from "node:http";
import net from "node:net";
import { expect } from "chai";
import { action } from "../../../core/declare/action.ts";
import { refusal } from "../../../core/errors/errors.ts";
import { input, label, Type } from "../../../core/schema/schema.ts";
import { service as actor } from "../../../mixins/resource.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

const proof = actor("proof.errors", {
  actions: {
    broken: action({
      rest: "POST /proof/broken",
      summary: "Fails in ways nobody foresaw",
      permission: "companies.company.write",
      body: input("ProofBroken", { how: label(20) }),
      returns: Type.Object({}),
      handler(ctx) {
        if (ctx.params.body.how === "text") throw "a text, not an error";
        if (ctx.params.body.how === "uncatalogued") throw refusal("no_such_code");
        throw Object.assign(new Error("select secret from /srv/kantoor"), { code: 200, data: { password: "hunter2" } });
      },
    }),
    detailed: action({
      rest: "POST /proof/detailed",
      summary: "Refuses with facts",
      permission: "companies.company.write",
      returns: Type.Object({}),
      handler() {
        throw refusal("conflict", "errors.conflict", { fields: { name: "errors.conflict" }, details: { limit: 3 } });
      },
    }),
  },
});

/** The server's answer to raw bytes. */
function raw(port: number, bytes: string): Promise<{ head: string; body: string }> {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = net.connect(port, "127.0.0.1", () => socket.write(bytes));
    socket.setEncoding("utf8").on("data", (part) => (text += part));
    socket.on("close", () => resolve({ head: text.split("\r\n\r\n")[0] as string, body: text.split("\r\n\r\n")[1] ?? "" }));
    socket.on("error", reject);
    setTimeout(() => socket.end(), 500);
  });
}

describe("errors", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await startService({ SERVICE_TRUSTED_PROXIES: "127.0.0.1" }, [proof]);
    tenant = await service.tenant();
  });
  after(() => service.stop());
  const call = (method: string, path: string) => service.call(method, path, { host: tenant.host, key: tenant.owner.key });

  it("have one shape: code, message, and fields and details only where there are some", async () => {
    const plain = await tenant.owner.get("/companies/01890000-0000-7000-8000-000000000000");
    expect(plain.body).to.deep.equal({ error: { code: "not_found", message: "errors.not_found" } });
    expect(plain.headers["content-type"]).to.equal("application/json; charset=utf-8");
    const full = await tenant.owner.post("/proof/detailed");
    expect(full.status).to.equal(409);
    expect(full.body).to.deep.equal({
      error: { code: "conflict", message: "errors.conflict", fields: { name: "errors.conflict" }, details: { limit: 3 } },
    });
  });

  it("of a sort that is not offered are 400 invalid_sort, named", async () => {
    for (const sort of ["nonsense", "-nonsense", "name,status", "name desc", "--name", "id"]) {
      const { status, body } = await tenant.owner.get(`/companies?sort=${encodeURIComponent(sort)}`);
      expect(status, sort).to.equal(400);
      expect(body).to.deep.equal({
        error: { code: "invalid_sort", message: "errors.invalid_sort", fields: { sort: "errors.invalid_sort" } },
      });
    }
  });

  const nowhere = [
    "/nothing",
    "/",
    "",
    "/companies/01890000-0000-7000-8000-000000000000/nothing",
    "/COMPANIES",
    "//",
    "//api",
    "//api/",
    "//api/v1",
    "//api/v2/companies",
    "//companies",
    "//docs",
    "//redoc",
    "//openapi.json",
    "//favicon.ico",
    "//api/v1/companies/%ZZ",
    "//api/v1/%E0%A4%A",
    "//api/v1/companies/%00",
    "//api/v1//companies",
    "//api/v1/companies/../roles",
    "//api/v1/companies;x=1",
  ];
  for (const path of nowhere.filter((path) => path !== "//"))
    it(`of an unknown route are 404 not_found: '${path}'`, async () => {
      const { status, body } = await call("GET", path);
      expect(status).to.equal(404);
      expect(body).to.deep.equal({ error: { code: "not_found", message: "errors.not_found" } });
    });

  it("of a known path with another method are 405 and name the methods in Allow", async () => {
    for (const [method, path, allow] of [
      ["DELETE", "/companies", "GET, HEAD, POST"],
      ["PUT", "/companies", "GET, HEAD, POST"],
      ["OPTIONS", "/companies", "GET, HEAD, POST"],
      ["PROPFIND", "/companies", "GET, HEAD, POST"],
      ["POST", "/companies/01890000-0000-7000-8000-000000000000", "GET, HEAD, PATCH, DELETE"],
      ["GET", "/auth/login", "POST"],
      ["HEAD", "/auth/login", "POST"],
      ["PUT", "/roles", "GET, HEAD, POST"],
      ["POST", "/health/ready", "GET, HEAD"],
      ["POST", "//health/live", "GET, HEAD"],
      ["DELETE", "/companies/groups", "GET, HEAD, POST"],
      ["PATCH", "/companies/settings", "GET, HEAD, PUT"],
      ["PATCH", "/contacts/types", "GET, HEAD, POST"],
      ["GET", "/members/invite", "POST"],
      ["PATCH", "/members/lookup", "GET, HEAD"],
      ["GET", "/leave/requests/preview", "POST"],
      ["DELETE", "/users/me", "GET, HEAD, PATCH"],
    ] as const) {
      const { status, body, headers } = await call(method, path);
      expect(status, `${method} ${path}`).to.equal(405);
      expect(headers["allow"]).to.equal(allow);
      if (method !== "HEAD") expect(body).to.deep.equal({ error: { code: "method_not_allowed", message: "errors.server" } });
    }
  });

  it("do not exist for HEAD, which is GET without a body", async () => {
    const [head, get] = [await call("HEAD", "/companies"), await call("GET", "/companies")];
    expect(head.status).to.equal(200);
    expect(head.text).to.equal("");
    expect(head.headers["content-length"]).to.equal(get.headers["content-length"]);
    expect((await call("HEAD", "/companies/not-an-id")).status).to.equal(422);
    expect((await service.call("HEAD", "/companies", { host: tenant.host })).status).to.equal(401);
  });

  it("take a trailing slash for nothing", async () => {
    expect((await call("GET", "/companies/")).status).to.equal(200);
    expect((await call("GET", "/companies/?limit=1")).status).to.equal(200);
  });

  for (const how of ["error", "text", "uncatalogued"])
    it(`that are unforeseen (${how}) are 500 server_error without details`, async () => {
      const { status, text, headers } = await tenant.owner.post("/proof/broken", { how });
      expect(status).to.equal(500);
      expect(text).to.equal('{"error":{"code":"server_error","message":"errors.server"}}');
      expect(JSON.stringify(headers)).not.to.match(/hunter2|srv/);
      expect((await tenant.owner.get("/companies")).status).to.equal(200);
    });

  it("of a database that is away are 503 with Retry-After, readiness included, and end with it", async () => {
    const pg = (await import("pg")).default;
    const admin = new pg.Client({ connectionString: service.database.superuser.replace(/\/test_[0-9a-f]+/, "/postgres") });
    await admin.connect();
    const name = /test_[0-9a-f]+/.exec(service.database.application)?.[0] as string;
    await admin.query(`alter database ${name} allow_connections false`);
    await admin.query(
      "select pg_terminate_backend(pid, 30000) from pg_stat_activity where datname = $1 and usename = 'kantoor_app'",
      [name],
    );
    try {
      const { status, body, headers } = await tenant.owner.get("/companies");
      expect(status).to.equal(503);
      expect(body).to.deep.equal({ error: { code: "unavailable", message: "errors.unavailable" } });
      expect(headers["retry-after"]).to.match(/^\d+$/);
      const ready = await service.call("GET", "//health/ready");
      expect([ready.status, ready.body]).to.deep.equal([503, { status: "degraded", missing: ["database"] }]);
      const live = await service.call("GET", "//health/live");
      expect([live.status, live.body]).to.deep.equal([200, { status: "ok" }]);
    } finally {
      await admin.query(`alter database ${name} allow_connections true`);
      await admin.end();
    }
    expect((await tenant.owner.get("/companies")).status).to.equal(200);
    expect((await service.call("GET", "//health/ready")).body).to.deep.equal({ status: "ok" });
  });

  describe("of requests that are not HTTP", () => {
    const oversize = "x".repeat(20_000);
    for (const [name, bytes, status] of [
      ["a target that is far too long", `GET /api/v1/companies?q=${oversize} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
      ["a header that is far too long", `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${oversize}\r\n\r\n`, 431],
      ["nonsense", "NONSENSE\r\n\r\n", 400],
      ["a bad chunk", "POST /api/v1/companies HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n", 400],
    ] as const)
      it(`are ${status} in the envelope: ${name}`, async () => {
        const { head, body } = await raw(service.port, bytes);
        expect(head.split("\r\n")[0]).to.match(new RegExp(`^HTTP/1.1 ${status} `));
        expect(head.toLowerCase()).to.contain("content-type: application/json");
        const { error } = JSON.parse(body);
        expect(error).to.have.all.keys("code", "message");
        expect(error.message).to.match(/^errors\./);
      });
  });

  it("leave the server standing when callers hang up in the middle of a body", async () => {
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const headers = {
          Host: tenant.host,
          "X-API-Key": tenant.owner.key,
          "Content-Type": "application/json",
          "Content-Length": "500",
        };
        const request = http.request({
          port: service.port,
          host: "127.0.0.1",
          method: "POST",
          path: "/api/v1/companies",
          headers,
          agent: false,
        });
        request.on("error", () => {});
        request.write('{"name": "half');
        await new Promise((done) => setTimeout(done, 20));
        request.destroy();
      }),
    );
    expect((await tenant.owner.get("/companies?q=half")).body.total).to.equal(0);
  });
});
