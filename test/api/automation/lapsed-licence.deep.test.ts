import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { SYSTEM } from "../../../core/request/system.ts";
import step from "../../../migrations/before-0.3/0052-old-runs-do-not-fire.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";
import { addRule, addTask, finished } from "./automation-support.ts";

describe("automation while its licence does not cover it (platform §2.1)", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await startService({ SERVICE_LICENSING: "required" });
  });
  after(() => service.stop());
  beforeEach(async () => {
    await renewed();
    tenant = await service.tenant();
    await addRule(tenant, { trigger_event: "task.created" });
  });

  const licence = (expires: string) =>
    service.sql.query(
      `insert into product_licences (module, expires_at) values ('automation', now() + $1::interval)
         on conflict (module) do update set expires_at = excluded.expires_at`,
      [expires],
    );
  const lapsed = () => licence("-1 minute");
  const renewed = () => licence("1 year");
  /** A write by a job of the service: it has no principal that carries the licence. */
  const asTheService = (title: string) => {
    const { organisation } = tenant;
    const meta = { organisation, principal: SYSTEM, requestId: "a job", host: "", address: "", userAgent: null, origin: "" };
    return service.node.broker.call("tasks.create", { body: { title } }, { meta });
  };
  const stored = async () => {
    const { rows } = await service.sql.query(
      `select (select count(*) from automation_matches where organisation_id = $1)::int as matches,
              (select count(*) from automation_runs where organisation_id = $1)::int as runs`,
      [tenant.organisation.id],
    );
    return rows[0];
  };

  it("stores no run for people or jobs, and starts none on renewal", async () => {
    await lapsed();
    await addTask(tenant, { title: "By a person" });
    await addTask(tenant, { title: "By a person, the rules being known" });
    await asTheService("By the service");
    expect(await stored()).to.deep.equal({ matches: 0, runs: 0 });
    await renewed();
    expect(await finished(service, tenant)).to.deep.equal([]);
    await addTask(tenant);
    await asTheService("After renewal");
    const runs = await finished(service, tenant);
    expect(runs.map(({ status }) => status)).to.deep.equal(["succeeded", "succeeded"]);
  });

  it("stops with the first request after the licence lapsed, even if a node has cached the rules", async () => {
    await addTask(tenant);
    expect((await stored()).matches + (await stored()).runs).to.equal(1);
    await lapsed();
    await addTask(tenant);
    await renewed();
    expect(await finished(service, tenant)).to.have.length(1);
  });

  it("skips the runs and matches of an earlier version that are older than a day, and leaves the rest", async () => {
    const [{ id: rule }] = (await tenant.owner.get("/automation/rules")).body;
    const keep = async (table: string, more: Record<string, unknown>, age: string) => {
      const names = [
        "id",
        "organisation_id",
        "trigger_event",
        "entity_type",
        "entity_id",
        "payload",
        "identity",
        ...Object.keys(more),
      ];
      const values = [randomUUID(), tenant.organisation.id, "task.created", "task", randomUUID(), "{}", randomUUID()];
      await service.sql.query(
        `insert into ${table} (${names.join(", ")}, created_at)
           values (${names.map((_, n) => `$${n + 1}`).join(", ")}, now() - $${names.length + 1}::interval)`,
        [...values, ...Object.values(more), age],
      );
    };
    const match = () => ({ depth: 0, run_ids: [randomUUID()], rule_ids: [rule], rule_names: ["A rule"] });
    const run = { rule_id: rule, rule_name: "A rule", status: "pending" };
    await lapsed();
    for (const age of ["3 days", "1 hour"]) {
      await keep("automation_matches", match(), age);
      await keep("automation_runs", run, age);
    }
    await step.up({ sql: (text, values) => service.sql.query(text, values), application: "kantoor_app" });
    const { rows } = await service.sql.query(
      `select created_at < now() - interval '1 day' as old, status, error, rule_id from automation_runs where organisation_id = $1
        order by old desc`,
      [tenant.organisation.id],
    );
    const skipped = { old: true, status: "skipped", error: "errors.license_expired", rule_id: rule };
    expect(rows).to.deep.equal([skipped, skipped, { old: false, status: "pending", error: null, rule_id: rule }]);
    expect((await stored()).matches, "the young one").to.equal(1);
  });
});
