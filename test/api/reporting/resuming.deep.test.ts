import { expect } from "chai";
import { eventsAbout, recordEvents } from "../../support/answers.ts";
import { until } from "../../support/jobs.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";
import { dieInSteps, PLACES } from "./dying-steps.ts";
import { BATCH, enableReporting, restoreFigures, visits, withFigures } from "./report-world.ts";
import { ok } from "./reporting-world.ts";

describe("a run that breaks off (workspace-reporting §1.5)", function () {
  this.timeout(300_000);
  let service: TestService;
  let tenant: Tenant;
  let restoreSteps = () => {};
  before(async () => {
    service = await startService();
    await recordEvents(service);
    tenant = await service.tenant();
    await enableReporting(service, tenant);
    withFigures({ "marketing.traffic_channels": async () => visits(12) });
  });
  after(async () => {
    restoreSteps();
    restoreFigures();
    await service.stop();
  });

  it("continues after the last finished step, at any step: each report is ready once", async () => {
    const died: string[] = [];
    restoreSteps = dieInSteps((place) => {
      if (died.includes(place)) return;
      died.push(place);
      throw new Error(`the node died in '${place}'`);
    });
    for (const display_name of PLACES) {
      const { id } = await tenant.company();
      await ok(tenant.owner.put(`/reporting/companies/${id}/profile`, { display_name }));
    }
    const period = { period_start: "2026-01-01", period_end: "2026-01-31" };
    expect(await ok(tenant.owner.post(BATCH, period))).to.deep.include({ queued: PLACES.length });
    const left = async (): Promise<number> =>
      (await service.sql.query("select count(*)::int as n from reports where run_id is not null")).rows[0].n;
    await until(async () => (await left()) === 0, 250_000);
    expect(died).to.have.members(PLACES);
    const { rows } = await service.sql.query(
      `select r.id, r.company_name as name, r.status, r.published_at is not null as published, r.run_step, f.n as files, a.actions
         from reports r
         cross join lateral (select count(*)::int as n from files where entity_id = r.id) f
         cross join lateral (select array_agg(action order by action) as actions from activity where entity_id = r.id) a`,
    );
    expect(rows).to.have.length(PLACES.length);
    for (const { id, name, ...row } of rows) {
      const actions = ["published", "queued", "ready"];
      expect(row, name).to.deep.equal({ status: "ready", published: true, run_step: null, files: 1, actions });
      const events = (await eventsAbout(service, id)).map(({ event }) => event).toSorted();
      expect(events, name).to.deep.equal(["report.published", "report.ready"]);
    }
  });
});
