import { expect } from "chai";
import { until } from "../../support/jobs.ts";
import type { Tenant } from "../../support/service.ts";
import { type AiWorld, startAi } from "../ai/ai-world.ts";
import { dieInSteps, PLACES } from "./dying-steps.ts";
import { codesOf, enableReporting, GENERATE, restoreFigures, visits, withFigures } from "./report-world.ts";
import { ok } from "./reporting-world.ts";

const SECTION = "marketing.traffic_channels";
const TEXT = "Het bezoek groeide naar 120.";

describe("a run that breaks off with a model that writes (workspace-reporting §1.5)", function () {
  this.timeout(300_000);
  let world: AiWorld;
  let tenant: Tenant;
  let restoreSteps = () => {};
  before(async () => {
    world = await startAi();
    tenant = await world.anew();
    await world.configure(tenant);
    await enableReporting(world.service, tenant);
    withFigures({ [SECTION]: async () => visits(120) });
  });
  after(async () => {
    restoreSteps();
    restoreFigures();
    await world.stop();
  });

  it("pays for one turn for each report, wherever it broke off, and prints its text", async () => {
    const died: string[] = [];
    restoreSteps = dieInSteps((place) => {
      if (died.includes(place)) return;
      died.push(place);
      throw new Error(`the node died in '${place}'`);
    });
    for (const display_name of PLACES) {
      world.anthropic.says({ calls: [{ name: "submit_prose", input: { parts: [{ key: SECTION, text: TEXT }] } }] });
      const { id } = await tenant.company();
      await ok(tenant.owner.put(`/reporting/companies/${id}/profile`, { display_name }));
      const period = { period_start: "2026-01-01", period_end: "2026-01-31" };
      const { report } = await ok(tenant.owner.post(GENERATE, { company_id: id, ...period }));
      await until(async () => {
        const { rows } = await world.service.sql.query("select run_id from reports where id = $1", [report.id]);
        return rows[0]?.run_id === null;
      }, 60_000);
      const { status, narrative, warnings } = await ok(tenant.owner.get(`/reporting/reports/${report.id}`));
      expect({ status, narrative, codes: codesOf({ warnings }) }, display_name).to.deep.equal({
        status: "ready",
        narrative: { [SECTION]: TEXT },
        codes: [],
      });
    }
    expect(died).to.have.members(PLACES);
    expect(world.anthropic.heard).to.have.length(PLACES.length);
    expect(await world.usage(tenant)).to.deep.equal({ reporting: [120 * PLACES.length, PLACES.length] });
  });
});
