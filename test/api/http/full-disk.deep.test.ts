import { expect } from "chai";
import pg from "pg";
import { stores } from "../../../core/files/storage.ts";
import { oneProcess } from "../../support/cluster/topology.ts";
import { until } from "../../support/jobs.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

oneProcess("looks inside the node");

describe("a full disk", () => {
  let service: TestService;
  let tenant: Tenant;
  let admin: pg.Client;
  before(async () => {
    service = await startService();
    tenant = await service.tenant();
    admin = new pg.Client({ connectionString: service.database.superuser });
    await admin.connect();
    await admin.query(`create function full_disk() returns trigger language plpgsql as $$
      begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$`);
  });
  after(async () => {
    await admin.end();
    await service.stop();
  });
  const readiness = async () => (await service.call("GET", "//health/ready")).status;

  it("under the database makes writes 503 with Retry-After, also with an Idempotency-Key, while reads go on", async () => {
    await admin.query("create trigger full_disk before insert on companies execute function full_disk()");
    for (const headers of [{}, { "Idempotency-Key": "full" }] as Record<string, string>[]) {
      const { status, body, headers: given } = await tenant.owner.post("/companies", { name: "No room" }, { headers });
      expect([status, body.error.code]).to.deep.equal([503, "unavailable"]);
      expect(Number(given["retry-after"])).to.be.greaterThan(1);
    }
    expect((await tenant.owner.get("/companies")).status).to.equal(200);
    await admin.query("drop trigger full_disk on companies");
    expect(
      (await tenant.owner.post("/companies", { name: "No room" }, { headers: { "Idempotency-Key": "full" } })).status,
    ).to.equal(201);
    expect(await readiness()).to.equal(200);
  });

  it("makes readiness say no until a trial of the disk goes through", async () => {
    // Instead of PostgreSQL's own `md5`, which the trial uses, one that runs out of space.
    const name = /test_[0-9a-f]+/.exec(service.database.application)?.[0] as string;
    const dropConnections = () =>
      admin.query(
        "select pg_terminate_backend(pid, 30000) from pg_stat_activity where datname = $1 and usename = 'kantoor_app'",
        [name],
      );
    await admin.query(`create function public.md5(text) returns text language plpgsql as $$
      begin raise exception 'could not write to file: No space left on device' using errcode = 'disk_full'; end $$`);
    await admin.query(`alter role kantoor_app in database ${name} set search_path = public, pg_catalog`);
    await dropConnections();
    await until(async () => (await readiness()) === 200);
    await admin.query("create trigger full_disk before insert on companies execute function full_disk()");
    expect((await tenant.owner.post("/companies", { name: "No room" })).status).to.equal(503);
    await admin.query("drop trigger full_disk on companies");
    for (let look = 0; look < 3; look++) expect(await readiness()).to.equal(503);
    const { body } = await service.call("GET", "//health/ready");
    expect(body).to.deep.equal({ status: "degraded", missing: ["store"] });
    await admin.query(`drop function public.md5(text); alter role kantoor_app in database ${name} reset search_path`);
    expect(await readiness()).to.equal(200);
  });

  it("under the files makes uploads 503 with Retry-After", async () => {
    const { writing } = stores();
    const put = writing.put;
    writing.put = () =>
      Promise.reject(Object.assign(new Error("no space left on device, rename"), { code: "ENOSPC", syscall: "rename" }));
    try {
      const company = await tenant.company();
      const form =
        '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nabc\r\n--x--\r\n';
      const { status, headers } = await tenant.owner.post(`/files?entity_type=company&entity_id=${company.id}`, form, {
        headers: { "Content-Type": "multipart/form-data; boundary=x" },
      });
      expect(status).to.equal(503);
      expect(Number(headers["retry-after"])).to.be.greaterThan(1);
    } finally {
      writing.put = put;
    }
    expect(await readiness()).to.equal(200);
  });
});
