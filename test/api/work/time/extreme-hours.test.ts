import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { systemRequest } from "../../../../core/request/system.ts";
import { inTenancy } from "../../../../mixins/tenancy.ts";
import { warnOfBudgets } from "../../../../services/work/projects/budgets/budget-warnings.ts";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { Hours } from "./hours.ts";

/** As many minutes as a row of an older version can hold. */
const MOST = 2_147_483_647;
const THREE = 3 * MOST;

describe("entries of an older version that are longer than a day", () => {
  let service: TestService;
  let tenant: Tenant;
  let company_id: string;
  let project_id: string;
  let task_id: string;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    const hours = new Hours(service, tenant);
    company_id = (await tenant.company()).id;
    project_id = await hours.project({ company_id, budget_hours: 100, budget_period: "total" });
    task_id = await hours.task({ project_id, allocated_minutes: 60 });
    await hours.defaultRate(60);
    for (let n = 0; n < 3; n++)
      await service.sql.query(
        `insert into time_entries (id, organisation_id, user_id, company_id, project_id, task_id, started_at, ended_at, minutes, approved_at)
         values ($1, $2, $3, $4, $5, $6, '2026-05-04T09:00Z', '6109-06-08T10:07Z', $7, now())`,
        [randomUUID(), tenant.organisation.id, tenant.owner.accountId, company_id, project_id, task_id, MOST],
      );
  });
  after(() => service.stop());

  // biome-ignore lint/suspicious/noExplicitAny: tests look into every field
  const FIGURES: [path: string, figure: (body: any) => unknown, wanted: unknown][] = [
    ["/tasks?hours=true", ({ items }) => [items[0].logged_minutes, items[0].remaining_minutes], [THREE, 60 - THREE]],
    ["/tasks/:task", ({ logged_minutes, remaining_minutes }) => [logged_minutes, remaining_minutes], [THREE, 60 - THREE]],
    ["/projects/:project?hours=true", ({ hours }) => hours.spent_hours, 107_374_182.35],
    ["/projects?hours=true", ({ items }) => items[0].hours.spent_hours, 107_374_182.35],
    ["/projects/dashboard-budgets", ([row]) => row.hours.spent_hours, 107_374_182.35],
    ["/companies?hours=true", ({ items }) => items[0].hours.spent_hours, 107_374_182.35],
    ["/companies/:company/panels", (panels) => JSON.stringify(panels).includes(`"total_minutes":${THREE}`), true],
    ["/time/day?date=2026-05-04", ({ total_minutes }) => total_minutes, THREE],
    ["/time/summary?date=2026-05-04", ({ minutes }) => minutes, THREE],
    ["/time/timesheet?week_start=2026-05-04", ({ total }) => total, THREE],
    ["/time/logged?task_id=:task", ({ minutes }) => minutes, THREE],
    ["/time/report?date_from=2026-05-01", ({ totals }) => totals.minutes, THREE],
    ["/time/stats/productivity?date_from=2026-05-01&date_to=2026-05-31", ({ rows }) => rows[0].minutes, THREE],
    ["/time/stats/team-summary?date_from=2026-05-01&date_to=2026-05-31", ({ revenue }) => revenue, THREE],
    ["/time/stats/revenue?year=2026", ({ total_current }) => total_current, THREE],
    ["/time/cost?project_id=:project", ({ cost }) => cost, THREE],
    ["/invoicing/unbilled?company_id=:company", ({ total_minutes }) => total_minutes, THREE],
    ["/invoicing/uninvoiced?group=month", ({ total_minutes }) => total_minutes, THREE],
  ];
  for (const [path, figure, wanted] of FIGURES)
    it(`are summed by GET ${path}`, async () => {
      const asked = path.replace(":task", task_id).replace(":project", project_id).replace(":company", company_id);
      const { status, text, body } = await tenant.owner.get(asked);
      expect(status, text).to.equal(200);
      expect(figure(body)).to.deep.equal(wanted);
    });

  it("stop no daily warning of budgets", async () => {
    await service.sql.query(
      "insert into project_assignees (organisation_id, project_id, account_id, is_primary) values ($1, $2, $3, true)",
      [tenant.organisation.id, project_id, tenant.owner.accountId],
    );
    await inTenancy(() => systemRequest("test", tenant.organisation, "write"), warnOfBudgets);
    const { rows } = await service.sql.query("select threshold from project_budget_warnings where project_id = $1 order by 1", [
      project_id,
    ]);
    expect(rows.map(({ threshold }) => threshold)).to.deep.equal([75, 100]);
  });
});
