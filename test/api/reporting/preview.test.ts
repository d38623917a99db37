import { expect } from "chai";
import { sampleReport } from "../../../services/reporting/rendering/sample.ts";
import type { Snapshot } from "../../../services/reporting/snapshot.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { insertReport } from "./inserted-report.ts";

const PATH = "/reporting/templates/preview";

describe("POST /reporting/templates/preview over reports (workspace-reporting §1.2)", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const snapshotOf = (client: string, values: Partial<Snapshot> = {}): Snapshot => ({
    ...sampleReport("nl", "client"),
    client,
    ...values,
  });
  const report = (client: string, values: Record<string, unknown> = {}, snapshot: Partial<Snapshot> = {}) =>
    insertReport(service.sql, tenant, { data_snapshot: snapshotOf(client, snapshot), ...values });
  const drawn = async (look: object = {}, by: Pick<Tenant["owner"], "post"> = tenant.owner): Promise<string> => {
    const { status, text } = await by.post(PATH, look);
    expect(status, text).to.equal(200);
    return /<h1[^>]*>(.*?)<\/h1>/s.exec(text)?.[1] ?? "";
  };

  it("draws the newest of the audience, by start of the period and then by creation", async () => {
    await report("Last month", { period_start: "2026-03-01", period_end: "2026-03-31", created_at: "2026-04-02T08:00:00Z" });
    await report("Made later", { period_start: "2026-03-01", period_end: "2026-03-31", created_at: "2026-04-03T08:00:00Z" });
    await report("Older period", { created_at: "2026-05-01T08:00:00Z" });
    await report(
      "Colleagues",
      { audience: "internal", period_start: "2026-06-01", period_end: "2026-06-30" },
      { audience: "internal" },
    );
    expect(await drawn()).to.equal("Made later");
    expect(await drawn({ audience: "internal" })).to.equal("Colleagues");
  });

  it("prints its figures, its prose and its language in the look that was sent", async () => {
    await report(
      "Client",
      { locale: "en", narrative: { "sample.traffic": "Written for this client." } },
      sampleReport("en", "client"),
    );
    const { text } = await tenant.owner.post(PATH, { intro_text: "An intro", accent_color: "#aa0000" });
    expect(text)
      .to.include('<html lang="en">')
      .and.include("4,285")
      .and.include("<p>An intro</p>")
      .and.include("--accent: #aa0000");
    expect(text).to.include('<p class="prose">Written for this client.</p>');
    expect(text).not.to.include("Visits went up, mainly");
  });

  it("omits unfinished reports", async () => {
    for (const [at, status] of ["draft", "generating", "failed"].entries())
      await report(status, { status, period_start: `2026-0${at + 3}-01`, period_end: "2026-08-31" });
    await report("Never gathered", { data_snapshot: null, period_start: "2026-07-01", period_end: "2026-07-31" });
    expect(await drawn()).to.equal("Atelier Zonneveld");
    await report("Sent", { status: "sent" });
    expect(await drawn()).to.equal("Sent");
  });

  it("shows no report that the caller may not read", async () => {
    const [seen, unseen] = [await tenant.company(), await tenant.company()];
    await report("Seen", { company_id: seen.id });
    await report("Unseen", { company_id: unseen.id, period_start: "2026-03-01", period_end: "2026-03-31" });
    await report("Internal", { company_id: seen.id, audience: "internal" });
    const restricted = await tenant.member("admin", {
      grants: ["reporting.settings.manage", "reporting.report.read:any", "reporting.internal.read"],
    });
    await tenant.group("Some", [seen.id], [restricted.membershipId]);
    expect(await drawn({}, restricted)).to.equal("Seen");
    expect(await drawn({ audience: "internal" }, restricted)).to.equal("Internal");
    const outsider = await tenant.serviceAccount(["reporting.settings.manage", "reporting.report.read:any"]);
    expect(await drawn({}, outsider)).to.equal("Unseen");
    expect(await drawn({ audience: "internal" }, outsider)).to.equal("Atelier Zonneveld");
    const settings = await tenant.serviceAccount(["reporting.settings.manage"]);
    expect(await drawn({}, settings)).to.equal("Atelier Zonneveld");
  });

  it("shows a restricted caller no report whose client is deleted, as the list shows none", async () => {
    const [company, gone] = [await tenant.company(), await tenant.company()];
    await report("Gone", { company_id: gone.id });
    expect((await tenant.owner.delete(`/companies/${gone.id}`)).status).to.be.lessThan(300);
    const restricted = await tenant.member("admin", { grants: ["reporting.settings.manage", "reporting.report.read:any"] });
    await tenant.group("Some", [company.id], [restricted.membershipId]);
    expect((await restricted.get("/reporting/reports")).body.total).to.equal(0);
    expect(await drawn({}, restricted)).to.equal("Atelier Zonneveld");
    expect(await drawn()).to.equal("Gone");
  });

  it("shows nothing of another organisation", async () => {
    const other = await service.tenant();
    await insertReport(service.sql, other, { data_snapshot: snapshotOf("Theirs") });
    expect(await drawn()).to.equal("Atelier Zonneveld");
  });

  it("explains a body that this report alone makes too large", async () => {
    const { sections, ...snapshot } = snapshotOf("Large");
    const [section] = sections as [Snapshot["sections"][number]];
    const rows = Array.from({ length: 200 }, (_, index) => [`search term ${index}`, 5, 1]);
    const table = { ...section.data.table, rows } as never;
    await insertReport(service.sql, tenant, {
      data_snapshot: { ...snapshot, audience: "internal", sections: [{ ...section, data: { ...section.data, table } }] },
    });
    const twice = (body: string) => `{% for a in sections[0].tables[0].rows %}${body}{% endfor %}`;
    const { status, body } = await tenant.owner.post(PATH, { design: "custom", custom_html: twice(twice(twice("x"))) });
    expect([status, body.error.fields]).to.deep.equal([422, { custom_html: "errors.reporting.template_render" }]);
    expect(body.error.details.reason).to.match(/too many steps|more than 2 seconds/);
  });
});
