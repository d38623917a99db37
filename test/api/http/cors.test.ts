import { expect } from "chai";
import { send } from "../../support/http.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

const OURS = "https://app.example";

describe("a page of another origin", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await startService({ SERVICE_CORS_ORIGINS: `${OURS},http://localhost:5173` });
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const preflight = (path: string, origin: string, method = "PATCH") =>
    send(service.port, "OPTIONS", path, {
      host: tenant.host,
      headers: {
        Origin: origin,
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": "x-api-key,if-match",
      },
    });

  it("has its preflight answered where its origin is listed, for paths that exist and such that do not", async () => {
    for (const path of ["/companies", "/companies/00000000-0000-4000-8000-000000000000", "/nowhere", "//mcp"]) {
      const { status, headers, text } = await preflight(path, OURS);
      expect([status, text]).to.deep.equal([204, ""]);
      expect(headers["access-control-allow-origin"]).to.equal(OURS);
      expect(headers["access-control-allow-methods"]).to.equal("GET, HEAD, POST, PUT, PATCH, DELETE");
      for (const name of ["Authorization", "X-API-Key", "If-Match", "Idempotency-Key", "Content-Type"])
        expect(headers["access-control-allow-headers"]?.split(", ")).to.include(name);
      expect(headers["access-control-allow-credentials"]).to.equal(undefined);
      expect(headers.vary).to.equal("Origin");
    }
  });

  it("is refused where its origin is not listed, and learns nothing", async () => {
    for (const origin of ["https://evil.example", `${OURS}.evil.example`, "http://app.example", "null"]) {
      const { status, headers } = await preflight("/companies", origin);
      expect(status).to.equal(405);
      expect(headers["access-control-allow-origin"]).to.equal(undefined);
      const read = await tenant.owner.get("/companies", { headers: { Origin: origin } });
      expect([read.status, read.headers["access-control-allow-origin"], read.headers.vary]).to.deep.equal([
        200,
        undefined,
        "Origin",
      ]);
    }
  });

  it("reads and writes with a key, and sees the headers a client needs, on refusals too", async () => {
    const headers = { Origin: OURS };
    const made = await tenant.owner.post("/companies", { name: "Across" }, { headers });
    const read = await tenant.owner.get(`/companies/${made.body.id}`, { headers });
    const refused = await tenant.owner.get("/companies?limit=x", { headers });
    const anonymous = await send(service.port, "GET", "/companies", { host: tenant.host, headers });
    expect([made.status, read.status, refused.status, anonymous.status]).to.deep.equal([201, 200, 422, 401]);
    for (const answer of [made, read, refused, anonymous]) {
      expect(answer.headers["access-control-allow-origin"]).to.equal(OURS);
      const exposed = answer.headers["access-control-expose-headers"]?.split(", ");
      expect(exposed).to.include.members(["ETag", "Updated-Until", "RateLimit-Remaining", "Retry-After", "Idempotent-Replayed"]);
    }
  });

  it("does not reach the pages for people", async () => {
    const { headers } = await send(service.port, "GET", "//login", { host: tenant.host, headers: { Origin: OURS } });
    expect(headers["access-control-allow-origin"]).to.equal(undefined);
  });
});

describe("without SERVICE_CORS_ORIGINS", () => {
  it("a page of another origin gets no permission", async () => {
    const service = await startService();
    try {
      const tenant = await service.tenant();
      const { status, headers } = await send(service.port, "OPTIONS", "/companies", {
        host: tenant.host,
        headers: { Origin: OURS, "Access-Control-Request-Method": "GET" },
      });
      expect([status, headers["access-control-allow-origin"], headers.vary]).to.deep.equal([405, undefined, undefined]);
    } finally {
      await service.stop();
    }
  });
});
