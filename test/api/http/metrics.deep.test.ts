import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { jobsOf } from "../../../mixins/jobs.ts";
import { oneProcess } from "../../support/cluster/topology.ts";
import { send } from "../../support/http.ts";
import { until } from "../../support/jobs.ts";
import { freePort } from "../../support/ports.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

oneProcess("looks inside the node");

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
      Number(text.match(new RegExp(`^kantoor_http_requests_total\\{[^}]*${labels}[^}]*\\} (\\d+)`, "m"))?.[1]);
    expect(count('action="companies\\.list",method="GET",status="200"')).to.equal(3);
    expect(count('action="companies\\.list",method="GET",status="422"')).to.equal(1);
    expect(count('action="none",method="GET",status="404"')).to.equal(1);
    expect(text).to.match(/kantoor_http_duration_seconds_bucket\{[^}]*action="companies\.list",le="\+Inf"[^}]*\} 4/);
    expect(text).to.match(/kantoor_http_duration_seconds_count\{[^}]*action="companies\.list"[^}]*\} 4/);
    expect(text).to.match(/kantoor_http_duration_seconds_bucket\{[^}]*action="companies\.list",le="0.005"[^}]*\} \d/);
  });

  it("show connections, those who wait for one, and what waits in the outbox", async () => {
    const text = await metrics();
    for (const name of ["database_connections", "database_waiting", "outbox_waiting", "outbox_age_seconds"])
      expect(text).to.match(new RegExp(`^kantoor_${name}\\{[^}]*\\} [\\d.]+`, "m"));
  });

  it("begin the counters of every job of the node at 0, and have no figure that cannot be summed", async () => {
    const text = await metrics();
    const jobs = jobsOf(service.node.broker).definitions.map(({ name }) => name);
    expect(jobs).to.have.length.above(50);
    for (const job of jobs)
      for (const what of ["enqueued", "succeeded", "failed", "retried", "dead", "skipped"])
        expect(text).to.match(
          new RegExp(`^kantoor_jobs_${what}_total\\{[^}]*job="${job.replaceAll(".", "\\.")}"[^}]*\\} \\d`, "m"),
        );
    expect(text).not.to.contain("NaN");
  });

  it("show what is due and what is dead in the queue, by job, and 0 once it is gone", async () => {
    const count = (text: string, name: string, job: string) =>
      Number(text.match(new RegExp(`^kantoor_jobs_${name}\\{[^}]*job="${job}"[^}]*\\} ([\\d.]+)`, "m"))?.[1]);
    const insert = "insert into jobs.agenda_jobs (name, next_run_at, failed_at, last_finished_at) values ";
    await service.sql.query(
      `${insert} ('absent.work', now() - interval '1 hour', null, null), ('absent.work', now() - interval '1 minute', null, null),
         ('absent.work', now() + interval '1 hour', null, null), ('absent.work', null, now(), now())`,
    );
    const seen = async (wanted: (text: string) => boolean) => {
      await until(async () => wanted(await metrics()));
      return metrics();
    };
    const text = await seen((now) => count(now, "waiting", "absent\\.work") === 2);
    expect(count(text, "waiting_age_seconds", "absent\\.work")).to.be.within(3600, 4200);
    expect(count(text, "dead", "absent\\.work")).to.equal(1);
    await service.sql.query("delete from jobs.agenda_jobs where name = 'absent.work'");
    await seen((now) => count(now, "waiting", "absent\\.work") === 0);
  });

  it("show how late the event loop is", async () => {
    expect(await metrics()).to.match(/^kantoor_eventloop_delay_seconds\{[^}]*quantile="0\.99"[^}]*\} [\d.e-]+$/m);
  });

  it("answer on this machine alone unless an address is set", async () => {
    const [reporter] = (service.node.broker.metrics as unknown as { reporter: { server: Server }[] }).reporter;
    const listening = reporter?.server.address() as AddressInfo | undefined;
    expect(listening?.address).to.equal("127.0.0.1");
  });
});
