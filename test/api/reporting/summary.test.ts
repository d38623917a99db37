import { expect } from "chai";
import sinon from "sinon";
import type { ReportSectionData } from "../../../core/declare/report-sections.ts";
import { gatherSummary, SUMMARY } from "../../../services/reporting/sections/summary.ts";
import type { Scripted } from "../../simulators/ai/ai-simulator.ts";
import type { Tenant } from "../../support/service.ts";
import { type AiWorld, startAi } from "../ai/ai-world.ts";
import { codesOf, enableReporting, made, restoreFigures, visits, withFigures } from "./report-world.ts";
import { ok, type Row } from "./reporting-world.ts";
import { gathered } from "./sections-world.ts";

const TRAFFIC = "marketing.traffic_channels";
const JANUARY = { period_start: "2026-01-01", period_end: "2026-01-31" };
const RULED =
  "In deze rapportage leest u over januari 2026, vergeleken met januari 2025. De belangrijkste cijfers zijn bezoeken (120). " +
  "De grootste stijging zien wij bij bezoeken: 120, tegen 100 in de periode waarmee wij vergelijken (+20,0%).";

describe("the summary of a report (workspace-reporting §1.5)", function () {
  this.timeout(120_000);
  let world: AiWorld;
  let tenant: Tenant;
  let company: Row;
  before(async () => {
    world = await startAi({ SERVICE_AI_READ_TIMEOUT_MS: "2000" });
  });
  beforeEach(async () => {
    tenant = await world.anew();
    await enableReporting(world.service, tenant);
    company = await tenant.company();
    withFigures({ [SUMMARY]: gatherSummary, [TRAFFIC]: async () => visits(120) });
  });
  afterEach(restoreFigures);
  after(() => world.stop());

  const profile = (values: object) => ok(tenant.owner.put(`/reporting/companies/${company["id"]}/profile`, values));
  const report = (more: object = {}) => made(world.service, tenant.owner, { company_id: company["id"], ...JANUARY, ...more });
  const keysOf = ({ sections }: Row): string[] => sections.map(({ key }: Row) => key);
  const submits = (parts: Record<string, string>): Scripted => ({
    calls: [{ name: "submit_prose", input: { parts: Object.entries(parts).map(([key, text]) => ({ key, text })) } }],
  });

  it("is made by rules without a model, as the report's first section", async () => {
    const one = await report();
    expect([one["status"], codesOf(one)]).to.deep.equal(["ready", ["ai_unavailable"]]);
    expect(one["sections"]).to.deep.equal([
      { key: SUMMARY, title: "Samenvatting" },
      { key: TRAFFIC, title: "Verkeer per kanaal" },
    ]);
    expect(one["narrative"]).to.deep.equal({ [SUMMARY]: RULED });
    const { text } = await tenant.owner.get(`/reporting/reports/${one["id"]}/preview`);
    expect(text.indexOf("Samenvatting")).to.be.within(1, text.indexOf("Verkeer per kanaal"));
    expect(text).to.include("leest u over januari 2026");
  });

  it("is the model's where it wrote one from all sections", async () => {
    await world.configure(tenant);
    world.anthropic.says(submits({ [SUMMARY]: "Het bezoek groeide naar 120.", [TRAFFIC]: "Meer bezoek." }));
    expect((await report())["narrative"]).to.deep.equal({ [SUMMARY]: "Het bezoek groeide naar 120.", [TRAFFIC]: "Meer bezoek." });
    const [question] = world.anthropic.heard;
    expect(question?.system).to.include(`The part '${SUMMARY}' is a summary of all others`);
    expect(question?.turns).to.include("Bezoeken: 120 (before 100, change +20,0%)");
  });

  it("is made by rules where the model fails, is late, is silent about it, or invents its numbers", async () => {
    await world.configure(tenant);
    const limit = AbortSignal.timeout.bind(AbortSignal);
    const limits = sinon.stub(AbortSignal, "timeout").callsFake((ms) => limit(ms === 240_000 ? 300 : ms));
    try {
      const cases: [code: string, scripted: Scripted][] = [
        ["ai_failed", { refuses: { status: 500, message: "down" } }],
        ["ai_timeout", { ...submits({ [SUMMARY]: "Te laat." }), after: new Promise<void>(() => {}) }],
        ["ai_empty", submits({ [TRAFFIC]: "Meer bezoek." })],
        ["ai_number", submits({ [SUMMARY]: "Het waren er 7.777.", [TRAFFIC]: "Meer bezoek." })],
      ];
      for (const [code, scripted] of cases) {
        world.anthropic.says(scripted);
        const one = await report({ refresh_data: true });
        expect([codesOf(one), one["narrative"][SUMMARY]], code).to.deep.equal([[code], RULED]);
      }
    } finally {
      limits.restore();
    }
  });

  it("is kept as a person wrote it", async () => {
    const { id } = await report();
    await ok(tenant.owner.put(`/reporting/reports/${id}/narrative`, { narrative: { [SUMMARY]: "Zelf geschreven." } }));
    const again = await report({ refresh_data: true });
    expect([again["narrative"], again["edited_sections"]]).to.deep.equal([{ [SUMMARY]: "Zelf geschreven." }, [SUMMARY]]);
  });

  it("speaks as the tone and in the language of the client, and prints the goals of its profile", async () => {
    const tone = await ok(tenant.owner.post("/reporting/tones", { name: "Los", instructions: "Schrijf in de je-vorm." }));
    await profile({ tone_id: tone["id"], goals: "- 30% meer aanvragen\n- Bekender in Breda" });
    const one = await report();
    expect(one["narrative"][SUMMARY]).to.match(/^In deze rapportage lees je over januari 2026/);
    const { text } = await tenant.owner.get(`/reporting/reports/${one["id"]}/preview`);
    expect(text).to.include("Doelen").and.include("30% meer aanvragen").and.include("Bekender in Breda");
    await profile({ locale: "en" });
    expect((await report({ refresh_data: true }))["narrative"][SUMMARY]).to.match(/^This report covers January 2026/);
  });

  it("takes one statement to gather", async () => {
    restoreFigures();
    const span = { from: "2026-01-01", to: "2026-01-31" };
    const { data, statements } = await gathered(tenant, SUMMARY, { company: company["id"], span });
    expect([data, statements]).to.deep.equal([{ totals: [] }, 1]);
  });

  it("is left out by the layout of a template and by the client's profile", async () => {
    await profile({ sections: { [SUMMARY]: false } });
    const one = await report();
    expect([keysOf(one), one["narrative"]]).to.deep.equal([[TRAFFIC], {}]);
    await profile({});
    const layout = { sections: [{ key: SUMMARY, enabled: false }] };
    await ok(tenant.owner.post("/reporting/templates", { name: "Zonder", layout }));
    expect(keysOf(await report({ refresh_data: true }))).to.deep.equal([TRAFFIC]);
  });

  it("is nothing alone: a report without figures fails, goals or not", async () => {
    await profile({ goals: "Meer aanvragen" });
    withFigures({ [SUMMARY]: gatherSummary, [TRAFFIC]: async (): Promise<ReportSectionData> => ({ totals: [] }) });
    const one = await report();
    expect([one["status"], codesOf(one)]).to.deep.equal(["failed", ["no_data"]]);
  });
});
