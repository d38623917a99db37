import { expect } from "chai";
import { send } from "../../support/http.ts";
import { freePort } from "../../support/ports.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

describe("Prometheus metrics of HTTP, the pool and the outbox", () => {
  let service: TestService;
  let tenant: Tenant;
  let port: number;
  before(async () => {
    port = await freePort();
    service = await startService({ SERVICE_METRICS_PORT: String(port) });
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const metrics = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();

  it("count requests by action, method and status, and time them by action", async () => {
    for (let call = 0; call < 3; call++) await tenant.owner.get("/companies");
    await tenant.owner.get("/companies?limit=x");
    await send(service.port, "GET", "/nowhere", { host: tenant.host });
    const text = await metrics();
    const count = (labels: string) =>
      Number(text.match(new RegExp(`^kantoor_http_requests\\{[^}]*${labels}[^}]*\\} (\\d+)`, "m"))?.[1]);
    expect(count('action="companies\\.list",method="GET",status="200"')).to.equal(3);
    expect(count('action="companies\\.list",method="GET",status="422"')).to.equal(1);
    expect(count('action="none",method="GET",status="404"')).to.equal(1);
    expect(text).to.match(/kantoor_http_duration_bucket\{[^}]*action="companies\.list",le="\+Inf"[^}]*\} 4/);
    expect(text).to.match(/kantoor_http_duration_bucket\{[^}]*action="companies\.list",le="5"[^}]*\} \d/);
  });

  it("show connections, those who wait for one, and what waits in the outbox", async () => {
    const text = await metrics();
    for (const name of ["database_connections", "database_waiting", "outbox_waiting", "outbox_age"])
      expect(text).to.match(new RegExp(`^kantoor_${name}\\{[^}]*\\} [\\d.]+`, "m"));
  });
});
