import { expect } from "chai";
import type { Definition } from "../../../core/jobs/definition.ts";
import { jobsOf } from "../../../mixins/jobs.ts";
import { oneProcess } from "../../support/cluster/topology.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";

oneProcess("looks inside the node");

/** Organisations that have nothing but their row. */
const IDLE = 300;
const DUE = "2030-01-01T00:00:00.000Z";
/** Clocks that run for every organisation; none of them more than once a day. */
const EVERYWHERE = [
  "files.maintain",
  "leave.derive-pots",
  "leave.import-holidays",
  "system.announce-trial-end",
  "time.remind-timesheets",
];

describe("the clocks of organisations that have nothing to do", () => {
  let service: TestService;
  let tenant: Tenant;
  let clocks: Definition[];
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    clocks = jobsOf(service.node.broker).definitions.filter(({ schedule, per }) => schedule !== null && per !== "installation");
  });
  after(() => service.stop());

  /** Jobs that a moment of each clock makes for the idle organisations, and whether it makes one for the tenant; nothing is kept. */
  async function made(): Promise<Map<string, { idle: number; tenant: boolean }>> {
    const jobs = new Map<string, { idle: number; tenant: boolean }>();
    const { sql } = service;
    await sql.query("begin");
    try {
      await sql.query("insert into organisations (slug, name) select 'idle-' || n, 'Idle' from generate_series(1, $1) n", [IDLE]);
      for (const { name, due, worksOn, spread } of clocks) {
        const { rows } = await sql.query(
          `select count(*) filter (where o.slug like 'idle-%')::int as idle, coalesce(bool_or(o.id = $4), false) as tenant
             from jsonb_array_elements(jobs.fan_out_due($1, $2, $3, $5::text[], $6, false)) j
             join organisations o on o.id = (j -> 'data' ->> 'organisation')::uuid`,
          [name, DUE, due, tenant.organisation.id, worksOn, spread],
        );
        jobs.set(name, rows[0]);
      }
    } finally {
      await sql.query("rollback");
    }
    return jobs;
  }

  it("make no job, but for those that say why they run everywhere", async () => {
    const jobs = await made();
    expect(jobs.size).to.be.above(25);
    const busy = [...jobs].filter(([, { idle }]) => idle > 0);
    expect(busy.map(([name]) => name).sort()).to.deep.equal(EVERYWHERE);
    for (const [name, { idle }] of busy) expect(idle, name).to.equal(IDLE);
    const often = clocks.filter(({ name, schedule }) => EVERYWHERE.includes(name) && !/^\d+ \d+ /.test(schedule as string));
    expect(often.map(({ name }) => name)).to.deep.equal([]);
  });

  it("run for an organisation once a row is due, and not for one whose rows are not", async () => {
    const names = ["tasks.remind", "tasks.recur", "tasks.fail-stuck-fill-ins", "projects.warn-of-budgets"];
    const of = async () => {
      const jobs = await made();
      return names.filter((name) => jobs.get(name)?.tenant);
    };
    await tenant.owner.post("/tasks", { title: "Whenever" });
    await tenant.owner.post("/projects", { name: "Without a budget" });
    expect(await of()).to.deep.equal([]);
    const late = await tenant.owner.post("/tasks", { title: "Late", due_date: "2020-01-01" });
    expect(late.status, JSON.stringify(late.body)).to.equal(201);
    expect(await of()).to.deep.equal(["tasks.remind"]);
  });
});
