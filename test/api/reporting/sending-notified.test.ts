import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { systemRequest } from "../../../core/request/system.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import type { ReportRow } from "../../../services/reporting/models.ts";
import { notifyResponsible, type ReportTrouble } from "../../../services/reporting/sending/notify-responsible.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { MadeReports } from "./made-reports.ts";
import { ok, type Row } from "./reporting-world.ts";

describe("the recipients when a run failed or was held back (workspace-reporting §1.5)", () => {
  let service: TestService;
  let tenant: Tenant;
  let reports: MadeReports;
  let company: Row;
  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());
  beforeEach(async () => {
    tenant = await service.tenant();
    company = await tenant.company({ name: "Vela" });
    reports = new MadeReports(service, tenant, company["id"]);
  });

  const notify = async (id: string, trouble: ReportTrouble = "failed") => {
    const row = (await reports.row(id)) as unknown as ReportRow;
    await inTenancy(
      () => systemRequest("test", tenant.organisation, "write"),
      () => notifyResponsible({ ...row, period_start: "2026-09-01", period_end: "2026-09-30" }, trouble),
    );
  };
  const notified = async (caller: Caller): Promise<Row[]> =>
    (await ok(caller.get("/notifications?limit=200")))["items"].filter(({ event_type }: Row) => event_type.startsWith("report."));
  const star = (member: { accountId: string }) =>
    ok(tenant.owner.patch(`/companies/${company["id"]}`, { responsible_user_id: member.accountId }));
  const report = (values: Row = {}) => reports.report({ pdf_file_id: null, ...values });

  it("is the client's responsible person, once for a run", async () => {
    const iris = await tenant.member("member", { name: "Iris" });
    await star(iris);
    const warnings = JSON.stringify([
      { code: "section_failed", detail: "x.y" },
      { code: "no_data", detail: null },
    ]);
    const id = await report({ warnings });
    await Promise.all([notify(id), notify(id)]);
    await notify(id, "section_failed");
    const [reported, ...more] = await notified(iris);
    expect(more).to.deep.equal([]);
    expect(reported).to.include({ event_type: "report.failed", entity_type: "report", entity_id: id, actor_name: null });
    expect(reported?.["payload"]).to.deep.equal({
      report_id: id,
      company_id: company["id"],
      company_name: "Vela",
      title: "Rapportage september 2026 · Vela",
      audience: "client",
      period_start: "2026-09-01",
      period_end: "2026-09-30",
      reason: "reporting.warning.no_data",
    });
    expect(await notified(tenant.owner)).to.deep.equal([]);
  });

  it("is notified of the next run of the same report as well", async () => {
    const iris = await tenant.member("member", { name: "Iris" });
    await star(iris);
    const id = await report();
    await notify(id);
    await service.sql.query("update reports set run_id = $2 where id = $1", [id, randomUUID()]);
    await notify(id, "section_failed");
    expect((await notified(iris)).map(({ event_type }) => event_type)).to.have.members(["report.failed", "report.held"]);
  });

  it("is who had it made where the client has no responsible person, else who may send reports", async () => {
    const jan = await tenant.member("member", { name: "Jan" });
    await notify(await report({ generated_by: jan.accountId }));
    expect(await notified(jan)).to.have.length(1);
    expect(await notified(tenant.owner)).to.deep.equal([]);
    await notify(await report({ period_start: "2026-08-01" }));
    expect(await notified(jan)).to.have.length(1);
    expect(await notified(tenant.owner)).to.have.length(1);
  });

  it("passes over a responsible person who may not read the report", async () => {
    const out = await tenant.member("member", { grants: ["companies.company.read", "notifications.notification.read"] });
    await star(out);
    await notify(await report());
    expect([await notified(out), (await notified(tenant.owner)).length]).to.deep.equal([[], 1]);
    const reader = await tenant.member("member", {
      grants: ["companies.company.read", "notifications.notification.read", "reporting.report.read:any"],
    });
    await star(reader);
    await notify(await report({ audience: "internal" }));
    expect([await notified(reader), (await notified(tenant.owner)).length]).to.deep.equal([[], 2]);
  });
});
