import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { MadeReports } from "./made-reports.ts";
import { ok, type Row } from "./reporting-world.ts";

describe("reports on the page of their client (clients §3.8, §3.9)", () => {
  let service: TestService;
  let tenant: Tenant;
  let company: Row;
  let reports: MadeReports;
  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());
  beforeEach(async () => {
    tenant = await service.tenant();
    company = await tenant.company({ name: "Vela" });
    reports = new MadeReports(service, tenant, company["id"]);
  });

  const made = (month: number, values: Row = {}) => {
    const start = `2026-${String(month).padStart(2, "0")}-01`;
    return reports.report({ pdf_file_id: null, period_start: start, period_end: start.replace(/01$/, "28"), ...values });
  };
  const part = async (what: "panels" | "summary", key: string, caller: Caller = tenant.owner) =>
    ((await ok(caller.get(`/companies/${company["id"]}/${what}`))) as Row[]).find((one) => one["key"] === key);
  const panel = (caller?: Caller) => part("panels", "reporting.reports", caller);
  const tile = (caller?: Caller) => part("summary", "reporting.newest", caller);
  const ids = (found: Row | undefined) => found?.["data"].items.map(({ id }: Row) => id);

  it("are the newest five with their number, newest period first", async () => {
    expect(await panel()).to.deep.include({ position: 55, data: { items: [], total: 0 }, empty: true });
    const all: string[] = [];
    for (const month of [3, 1, 6, 2, 5, 4]) all[month] = await made(month, month === 6 ? { status: "sent" } : {});
    const found = await panel();
    expect(ids(found)).to.deep.equal([6, 5, 4, 3, 2].map((month) => all[month]));
    expect(found?.["data"].total).to.equal(6);
    expect(found?.["data"].items[0]).to.include({
      company_id: company["id"],
      company_name: "Vela",
      audience: "client",
      status: "sent",
      title: "Rapportage september 2026",
      period_start: "2026-06-01",
      period_end: "2026-06-28",
      published_at: null,
      pdf_file_id: null,
      warning_count: 0,
    });
    expect(Object.keys(found?.["data"].items[0])).not.to.include("total");
  });

  it("are internal ones only with their permission", async () => {
    const client = await made(1);
    const internal = await made(2, { audience: "internal" });
    expect(ids(await panel())).to.deep.equal([internal, client]);
    const reader = await tenant.member("member", { grants: ["companies.company.read", "reporting.report.read:any"] });
    expect(ids(await panel(reader))).to.deep.equal([client]);
    expect((await tile(reader))?.["value"]).to.equal("2026-01-28");
    expect(await panel(await tenant.member("member", { grants: ["companies.company.read"] }))).to.equal(undefined);
  });

  it("are the published ones for a client login, without warnings", async () => {
    await made(1);
    const published = await made(2, {
      published_at: "2026-03-01T08:00:00Z",
      warnings: JSON.stringify([{ code: "ai_failed", detail: null }]),
    });
    await made(3, { audience: "internal", published_at: "2026-03-01T08:00:00Z" });
    const login = await tenant.member("client", { name: "Client" });
    await tenant.group("client", [company["id"]], [login.membershipId]);
    const found = await panel(login);
    expect(ids(found)).to.deep.equal([published]);
    expect(found?.["data"]).to.include({ total: 1 });
    expect(found?.["data"].items[0].warning_count).to.equal(0);
    expect((await panel())?.["data"].items[1].warning_count).to.equal(1);
    expect(await tile(login)).to.include({ value: "2026-02-28", tone: "neutral", hint_key: null });
  });

  it("have a tile of the newest one: its last day, and how far it is", async () => {
    expect(await tile()).to.equal(undefined);
    const tones: Record<string, string> = { draft: "neutral", generating: "neutral", ready: "warn", sent: "good", failed: "bad" };
    for (const [index, [status, tone]] of Object.entries(tones).entries()) {
      await made(index + 1, { status });
      expect(await tile(), status).to.deep.equal({
        key: "reporting.newest",
        label_key: "summary.reporting.newest",
        value: `2026-0${index + 1}-28`,
        format: "date",
        currency: null,
        tone,
        hint_key: `summary.reporting.newest.${status}`,
        hint_params: { audience: "client" },
        href: null,
        position: 60,
      });
    }
    await made(9, { audience: "internal" });
    expect(await tile()).to.include({ tone: "good" });
  });
});
