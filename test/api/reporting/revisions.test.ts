import { expect } from "chai";
import type { GatherSection } from "../../../core/declare/report-sections.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { abreast } from "../../support/waiting.ts";
import { enableReporting, ended, GENERATE, made, restoreFigures, storedReport, visits, withFigures } from "./report-world.ts";
import { NOT_FOUND, ok, type Row, refused } from "./reporting-world.ts";

const KEY = "marketing.traffic_channels";
const JANUARY = { period_start: "2026-01-01", period_end: "2026-01-31" };
const ALREADY_SENT = [409, "conflict", "errors.reporting.already_sent"];
const NOT_SENT = [409, "conflict", "errors.reporting.not_sent"];

describe("a report that was sent never changes (workspace-reporting §1.5)", function () {
  this.timeout(120_000);
  let service: TestService;
  let tenant: Tenant;
  let company: string;
  const figures: Record<string, GatherSection> = {};
  const nowHas = (value: number) => {
    figures[KEY] = async () => visits(value);
    withFigures(figures);
  };
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    await enableReporting(service, tenant);
    company = (await tenant.company()).id;
    nowHas(120);
  });
  after(async () => {
    restoreFigures();
    await service.stop();
  });

  const at = (id: string, rest = "") => `/reporting/reports/${id}${rest}`;
  const get = (id: string) => ok(tenant.owner.get(at(id)));
  const generate = (more: object = {}) => tenant.owner.post(GENERATE, { company_id: company, ...JANUARY, ...more });
  const asMailed = (id: string) =>
    service.sql.query(
      "update reports set status = 'sent', sent_at = now(), published_at = coalesce(published_at, now()) where id = $1",
      [id],
    );
  /** A report with its document, as a send leaves it. */
  const sent = async (): Promise<Row> => {
    const { id } = await made(service, tenant.owner, { company_id: company, ...JANUARY });
    await ok(tenant.owner.put(at(id, "/narrative"), { narrative: { [KEY]: "Zelf geschreven." } }));
    await made(service, tenant.owner, { company_id: company, ...JANUARY });
    await ok(tenant.owner.post(at(id, "/publish")));
    await asMailed(id);
    return get(id);
  };
  const revise = (id: string) => tenant.owner.post(at(id, "/revise"));
  const revised = async (id: string): Promise<Row> => ended(service, tenant.owner, (await ok(revise(id)))["id"]);
  /** What a client login lists, and what a colleague does, as revisions. */
  const listed = async (who: { get: Tenant["owner"]["get"] }): Promise<number[]> =>
    (await ok(who.get("/reporting/reports"))).items.map(({ revision }: Row) => revision).toSorted();
  const clientLogin = async () => {
    const login = await tenant.member("client", { name: "Client" });
    await tenant.group("client", [company], [login.membershipId]);
    return login;
  };

  it("refuses new figures, and keeps its figures, page and document byte for byte", async () => {
    const report = await sent();
    const bytes = async () => [
      (await tenant.owner.get(at(report["id"], "/pdf"))).bytes.toString("base64"),
      (await tenant.owner.get(at(report["id"], "/preview"))).text,
    ];
    const before = await bytes();
    nowHas(77);
    expect(refused(await generate({ refresh_data: true }))).to.deep.equal(ALREADY_SENT);
    expect(await ok(generate())).to.deep.include({ queued: false });
    const correction = await revised(report["id"]);
    expect(correction["data_snapshot"].sections[0].data.totals[0].value).to.equal(77);
    expect(await get(report["id"])).to.deep.equal(report);
    expect(await bytes()).to.deep.equal(before);
  });

  it("is corrected by a report of the same period, with its client, texts by hand and the next revision", async () => {
    const report = await sent();
    nowHas(77);
    const answer = await revise(report["id"]);
    expect(answer.status).to.equal(201);
    expect(answer.body).to.deep.include({ revision: 2, status: "generating", published_at: null, sent_at: null });
    const correction = await ended(service, tenant.owner, answer.body.id);
    for (const name of ["company_id", "company_name", "audience", "locale", "title", "period_start", "period_end", "template_id"])
      expect(correction[name], name).to.deep.equal(report[name]);
    expect(correction).to.deep.include({ narrative: { [KEY]: "Zelf geschreven." }, edited_sections: [KEY], status: "ready" });
    // A person publishes and sends it.
    expect([correction["published_at"], correction["sent_at"]]).to.deep.equal([null, null]);
    expect((await ok(generate()))["report"].id).to.equal(correction["id"]);
    nowHas(78);
    expect(await ok(generate({ refresh_data: true }))).to.deep.include({ queued: true });
    expect((await ended(service, tenant.owner, correction["id"]))["data_snapshot"].sections[0].data.totals[0].value).to.equal(78);
  });

  it("shows staff all revisions, and the portal and panels the newest published one", async () => {
    const report = await sent();
    const login = await clientLogin();
    const panel = async (who: { get: Tenant["owner"]["get"] }) =>
      ((await ok(who.get(`/companies/${company}/panels`))) as Row[])
        .find(({ key }) => key === "reporting.reports")
        ?.["data"].items.map(({ revision }: Row) => revision);
    const seen = async () => [
      await listed(tenant.owner),
      await listed(login),
      await panel(tenant.owner),
      await panel(login),
      (await login.get(at(report["id"]))).status,
    ];
    expect(await seen()).to.deep.equal([[1], [1], [1], [1], 200]);
    const correction = await revised(report["id"]);
    expect(await seen()).to.deep.equal([[1, 2], [1], [1], [1], 200]);
    await ok(tenant.owner.post(at(correction["id"], "/publish")));
    expect(await seen()).to.deep.equal([[1, 2], [2], [2], [2], 404]);
    await ok(tenant.owner.post(at(correction["id"], "/publish?published=false")));
    expect(await seen()).to.deep.equal([[1, 2], [1], [1], [1], 200]);
  });

  it("has one correction at a time, which can be deleted until it is sent itself", async () => {
    const report = await sent();
    const correction = await revised(report["id"]);
    for (const id of [report["id"], correction["id"]]) expect(refused(await revise(id))).to.deep.equal(NOT_SENT);
    expect((await tenant.owner.delete(at(correction["id"]))).status).to.equal(204);
    expect(refused(await tenant.owner.delete(at(report["id"])))).to.deep.equal(ALREADY_SENT);
    const second = await revised(report["id"]);
    await asMailed(second["id"]);
    expect(refused(await tenant.owner.delete(at(second["id"])))).to.deep.equal(ALREADY_SENT);
    expect((await revised(report["id"]))["revision"]).to.equal(3);
  });

  it("is corrected once where two ask at the same time", async () => {
    const { id } = await sent();
    const lock: [string, unknown[]] = ["select 1 from reports where id = $1 for update", [id]];
    const answers = await Promise.all(await abreast(service.database.owner, lock, [() => revise(id), () => revise(id)]));
    expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([201, 409]);
    const { rows } = await service.sql.query("select id from reports where company_id = $1 and revision = 2", [company]);
    expect(rows).to.have.length(1);
    await ended(service, tenant.owner, rows[0].id);
  });

  it("is not corrected before it was sent, without its client, or by a reader", async () => {
    const id = await storedReport(service, tenant, company);
    expect(refused(await revise(id))).to.deep.equal(NOT_SENT);
    const gone = await storedReport(service, tenant, null, { status: "sent", sent_at: "2026-02-05T08:00:00Z" });
    expect(refused(await revise(gone))).to.deep.equal(NOT_FOUND);
    expect((await (await clientLogin()).post(at(id, "/revise"))).status).to.equal(403);
  });

  describe("one that is published and not sent", () => {
    const published = async () => {
      const report = await made(service, tenant.owner, { company_id: company, ...JANUARY });
      expect(report["published_at"]).to.be.a("string");
      return report["id"] as string;
    };
    const trail = async (id: string) => {
      const { rows } = await service.sql.query("select action from activity where entity_id = $1 order by id", [id]);
      return rows.map(({ action }) => action).filter((action) => ["published", "withdrawn"].includes(action));
    };

    it("leaves the portal when its text changes, until it is published", async () => {
      const id = await published();
      const login = await clientLogin();
      expect((await login.get(at(id))).status).to.equal(200);
      const edited = await ok(tenant.owner.put(at(id, "/narrative"), { narrative: { [KEY]: "Anders." } }));
      expect(edited["published_at"]).to.equal(null);
      expect((await login.get(at(id))).status).to.equal(404);
      expect((await made(service, tenant.owner, { company_id: company, ...JANUARY }))["published_at"]).to.equal(null);
      await ok(tenant.owner.post(at(id, "/publish")));
      expect((await login.get(at(id))).status).to.equal(200);
      expect(await trail(id)).to.deep.equal(["published", "withdrawn", "published"]);
    });

    it("leaves the portal when its figures are gathered again, and no run brings it back", async () => {
      const id = await published();
      nowHas(77);
      expect((await ok(generate({ refresh_data: true })))["report"].published_at).to.equal(null);
      expect((await ended(service, tenant.owner, id))["published_at"]).to.equal(null);
      await ok(generate({ refresh_data: true }));
      expect((await ended(service, tenant.owner, id))["published_at"]).to.equal(null);
      expect(await trail(id)).to.deep.equal(["published", "withdrawn"]);
    });
  });
});
