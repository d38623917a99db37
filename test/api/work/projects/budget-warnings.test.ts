import { expect } from "chai";
import { addDays, dateIn } from "../../../../core/calendar/calendar.ts";
import type { DomainEvent } from "../../../../core/declare/events.ts";
import { systemRequest } from "../../../../core/request/system.ts";
import { jobsOf } from "../../../../mixins/jobs.ts";
import { service as actor } from "../../../../mixins/resource.ts";
import { inTenancy } from "../../../../mixins/tenancy.ts";
import { warnOfBudgets } from "../../../../services/work/projects/budgets/budget-warnings.ts";
import { fire, settled } from "../../../support/jobs.ts";
import { startService, type Tenant, type TestService } from "../../../support/service.ts";
import { entryOf, person, projectOf } from "./project-records.ts";

const reported: DomainEvent<"project.budget_threshold">[] = [];
const listener = actor("projects.listener", {
  actions: {},
  subscribe: {
    "project.budget_threshold": async (event) => {
      reported.push(event);
    },
  },
});
const JOB = "projects.warn-of-budgets";

describe("the daily warning of budgets", () => {
  let service: TestService;
  let tenant: Tenant;
  /** Where the organisations are: a month begins there before it does in UTC. */
  const today = () => dateIn("Europe/Amsterdam", new Date().toISOString());
  const at = (day: string) => `${day}T12:00:00Z`;
  before(async () => {
    service = await startService({}, [listener]);
    await jobsOf(service.node.broker).ready();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const spend = (id: string, minutes: number, day = today()) =>
    entryOf(service, tenant, { project_id: id, started_at: at(day), minutes });
  const project = (values: Record<string, unknown> = {}) =>
    projectOf(tenant, { budget_hours: 10, assignees: [person(tenant.owner)], ...values });
  const warn = async () => {
    await settled(service);
    await fire(service, JOB);
  };
  const reportedOf = (id: string) =>
    reported.filter(({ entityId }) => entityId === id).map(({ payload }) => [payload.threshold, payload.percent]);

  it("comes at 05:45", async () => {
    const { rows } = await service.sql.query("select repeat_interval from jobs.agenda_jobs where name = $1", [JOB]);
    expect(rows).to.deep.equal([{ repeat_interval: "45 5 * * *" }]);
  });

  it("notifies the roster at 75 and at 100 percent, each once for any number of runs", async () => {
    const anna = await tenant.member("member");
    const made = await project({ name: "Watched", assignees: [person(anna), person(tenant.owner, true)] });
    const { id, company_id } = made;
    await spend(id, 449);
    await warn();
    expect(reportedOf(id)).to.deep.equal([]);
    await spend(id, 1);
    await warn();
    await warn();
    expect(reportedOf(id)).to.deep.equal([[75, 75]]);
    const [{ payload } = { payload: {} }] = reported.filter(({ entityId }) => entityId === id);
    expect(payload).to.deep.equal({
      project_id: id,
      company_id,
      title: "Watched",
      recipients: [tenant.owner.accountId, anna.accountId],
      threshold: 75,
      percent: 75,
      period_start: null,
    });
    await spend(id, 156);
    await warn();
    await spend(id, 60);
    await warn();
    expect(reportedOf(id)).to.deep.equal([
      [75, 75],
      [100, 101],
    ]);
  });

  it("reports both at once when both were passed since the day before", async () => {
    const { id } = await project();
    await spend(id, 1200);
    await warn();
    expect(reportedOf(id)).to.deep.equal([
      [75, 200],
      [100, 200],
    ]);
  });

  it("counts the stored period, and reports again in another period", async () => {
    const { id } = await project({ budget_period: "monthly" });
    await spend(id, 6000, addDays(today(), -40));
    await warn();
    expect(reportedOf(id)).to.deep.equal([]);
    await spend(id, 460);
    await warn();
    expect(reportedOf(id)).to.deep.equal([[75, 76]]);
    expect(reported.at(-1)?.payload.period_start).to.match(/^\d{4}-\d\d-01$/);
    await service.sql.query("update project_budget_warnings set period_start = period_start - 31 where project_id = $1", [id]);
    await warn();
    expect(reportedOf(id)).to.deep.equal([
      [75, 76],
      [75, 76],
    ]);
  });

  it("stays silent without a roster, without hours of its own, and on projects that are not active", async () => {
    const silent = [
      await project({ assignees: [] }),
      await project({ budget_hours: null }),
      await project({ budget_hours: 0 }),
      ...(await Promise.all(["on_hold", "completed", "archived"].map((status) => project({ status })))),
    ];
    for (const { id } of silent) await spend(id, 1200);
    const { id } = await project();
    await spend(id, 600);
    await warn();
    expect(silent.flatMap((one) => reportedOf(one.id))).to.deep.equal([]);
    expect(reportedOf(id)).to.have.length(2);
  });

  it("skips suspended organisations and continues with the others", async () => {
    const { id } = await project();
    await spend(id, 1200);
    await service.sql.query("update organisations set status = 'suspended' where id = $1", [tenant.organisation.id]);
    tenant = await service.tenant();
    const other = await project();
    await spend(other.id, 1200);
    await service.sql.query("delete from jobs.occurrences");
    await fire(service, JOB);
    expect(reportedOf(id)).to.deep.equal([]);
    expect(reportedOf(other.id)).to.have.length(2);
  });

  it("reports once when two nodes run it at the same moment", async () => {
    const { id } = await project();
    await spend(id, 1200);
    await settled(service);
    const run = () => inTenancy(() => systemRequest(JOB, tenant.organisation, "write"), warnOfBudgets);
    await Promise.all([run(), run()]);
    await settled(service);
    expect(reportedOf(id).toSorted()).to.deep.equal([
      [100, 200],
      [75, 200],
    ]);
    const { rows } = await service.sql.query("select count(*)::int as n from project_budget_warnings where project_id = $1", [
      id,
    ]);
    expect(rows).to.deep.equal([{ n: 2 }]);
  });
}).timeout(120_000);
