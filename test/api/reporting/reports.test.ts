import { expect } from "chai";
import type { GatherSection } from "../../../core/declare/report-sections.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { abreast } from "../../support/waiting.ts";
import { codesOf, enableReporting, made, restoreFigures, storedReport, visits, withFigures } from "./report-world.ts";
import { NOT_FOUND, ok, type Row, refused } from "./reporting-world.ts";

const NOBODY = "0196a000-0000-7000-8000-000000000000";
const ALREADY_SENT = [409, "conflict", "errors.reporting.already_sent"];
const NOT_READY = [409, "conflict", "errors.reporting.not_ready"];
const JANUARY = { period_start: "2026-01-01", period_end: "2026-01-31" };
const KEY = "marketing.traffic_channels";

describe("reports (workspace-reporting §1.5)", function () {
  this.timeout(120_000);
  let service: TestService;
  let tenant: Tenant;
  let company: Row;
  before(async () => {
    service = await sharedService();
    withFigures({ [KEY]: (async () => visits(12)) satisfies GatherSection });
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    await enableReporting(service, tenant);
    company = await tenant.company();
  });
  after(async () => {
    restoreFigures();
    await service.stop();
  });

  const stored = (values: object = {}, companyId: string | null = company["id"]) =>
    storedReport(service, tenant, companyId, { ...values });
  const at = (id: string, rest = "") => `/reporting/reports/${id}${rest}`;
  const get = (id: string) => ok(tenant.owner.get(at(id)));

  describe("GET /reporting/reports", () => {
    const names = async (query = "") => {
      const { items } = await ok(tenant.owner.get(`/reporting/reports${query}`));
      return items.map((one: Row) => `${one["period_start"]} ${one["company_name"]}`);
    };

    it("lists the newest period first, then by the client's name", async () => {
      const other = (await tenant.company()).id;
      await stored({ period_start: "2025-12-01", company_name: "B" });
      await stored({ company_name: "b" }, other);
      await stored({ company_name: "Á" });
      await stored({ company_name: "C", audience: "internal" });
      const all = ["2026-01-01 Á", "2026-01-01 b", "2026-01-01 C", "2025-12-01 B"];
      expect(await names()).to.deep.equal(all);
      expect(await names("?limit=2&offset=1")).to.deep.equal(all.slice(1, 3));
      expect(await names("?audience=internal")).to.deep.equal(["2026-01-01 C"]);
      expect(await names(`?company_id=${other}`)).to.deep.equal(["2026-01-01 b"]);
      const page = await ok(tenant.owner.get("/reporting/reports?limit=1"));
      expect([page["total"], page["items"].length]).to.deep.equal([4, 1]);
      expect((await tenant.owner.get("/reporting/reports?limit=201")).status).to.equal(422);
    });

    it("has 50 reports unless the call asks for 1 to 200, and counts all unless it asks not to", async () => {
      await service.sql.query(
        `insert into reports (id, organisation_id, company_id, company_name, audience, status, locale, title, period_start, period_end,
            compare_start, compare_end)
          select gen_random_uuid(), $1, $2, 'Zonneveld', 'client', 'ready', 'nl', 'Rapportage', d, d, d, d
            from generate_series(date '2025-01-01', date '2025-07-20', interval '1 day') d`,
        [tenant.organisation.id, company["id"]],
      );
      for (const [query, length, total] of [
        ["", 50, 201],
        ["?limit=1", 1, 201],
        ["?limit=200", 200, 201],
        ["?limit=200&offset=200", 1, 201],
        ["?count=false", 50, 50],
      ] as const) {
        const page = await ok(tenant.owner.get(`/reporting/reports${query}`));
        expect([query, page["items"].length, page["total"]]).to.deep.equal([query, length, total]);
      }
      expect((await tenant.owner.get("/reporting/reports?limit=0")).status).to.equal(422);
    });

    it("finds every word of `q` in the title, the client's name or the period", async () => {
      await stored({ company_name: "Café De Zon", title: "Rapportage januari 2026" });
      await stored({ company_name: "Café De Zon", title: "Intern", audience: "internal" });
      await stored({
        company_name: "De Maan",
        title: "Rapportage februari 2026",
        period_start: "2026-02-01",
        period_end: "2026-02-28",
      });
      const [january, internal, february] = ["2026-01-01 Café De Zon", "2026-01-01 Café De Zon", "2026-02-01 De Maan"];
      expect(await names("?q=cafe")).to.deep.equal([january, internal]);
      expect(await names("?q=JANUARI%20zon")).to.deep.equal([january]);
      expect(await names("?q=2026-02-28%20rapportage")).to.deep.equal([february]);
      expect(await names("?q=%22de%20maan%22")).to.deep.equal([february]);
      expect(await names("?q=cafe&audience=internal")).to.deep.equal([internal]);
      expect(await names("?q=januari%20maan")).to.deep.equal([]);
      // A name that changes is found by its new words alone.
      await service.sql.query("update reports set company_name = 'Pluto' where organisation_id = $1 and title like '%feb%'", [
        tenant.organisation.id,
      ]);
      expect([await names("?q=maan"), await names("?q=pluto")]).to.deep.equal([[], ["2026-02-01 Pluto"]]);
      const page = await ok(tenant.owner.get("/reporting/reports?q=cafe&limit=1"));
      expect([page["total"], page["items"].length]).to.deep.equal([2, 1]);
    });

    it("has the row of the text, and its warnings as a number", async () => {
      const id = await stored({ warnings: JSON.stringify([{ code: "section_failed", detail: KEY }]) });
      const { items } = await ok(tenant.owner.get("/reporting/reports"));
      const [{ created_at, updated_at, ...row }] = items;
      expect(row).to.deep.equal({
        id,
        company_id: company["id"],
        company_name: "Zonneveld",
        audience: "client",
        status: "ready",
        locale: "nl",
        title: "Rapportage",
        ...JANUARY,
        revision: 1,
        published_at: null,
        sent_at: null,
        pdf_file_id: null,
        warning_count: 1,
        generated_by_name: null,
      });
      expect([created_at, updated_at].map((moment) => typeof moment)).to.deep.equal(["string", "string"]);
    });
  });

  it("outlives its client, under the name it was made with", async () => {
    const id = await stored();
    expect((await tenant.owner.delete(`/companies/${company["id"]}`)).status).to.equal(204);
    expect(await get(id)).to.deep.include({ company_id: null, company_name: "Zonneveld" });
    // A new client's report of the same period does not meet it.
    const next = (await tenant.company()).id;
    await stored({}, next);
    const { total } = await ok(tenant.owner.get("/reporting/reports"));
    expect(total).to.equal(2);
  });

  describe("PUT narrative", () => {
    const put = (id: string, narrative: object) => tenant.owner.put(at(id, "/narrative"), { narrative });
    const sections = JSON.stringify([
      { key: "a", title: "A" },
      { key: "b", title: "B" },
    ]);

    it("stores the texts that are sent, and marks them as edited", async () => {
      const id = await stored({ sections, narrative: JSON.stringify({ a: "old", b: "stays" }) });
      const one = await ok(put(id, { a: "new\n\nlines" }));
      expect(one).to.deep.include({ narrative: { a: "new\n\nlines", b: "stays" }, edited_sections: ["a"] });
      expect((await ok(put(id, { b: "" })))["edited_sections"]).to.have.members(["a", "b"]);
      expect(await ok(put(id, {}))).to.deep.include({ narrative: { a: "new\n\nlines", b: "" } });
    });

    it("stores the texts of several people at once", async () => {
      const id = await stored({ sections });
      const lock: [string, unknown[]] = ["select 1 from reports where id = $1 for update", [id]];
      const writes = [{ a: "one" }, { b: "two" }].map((texts) => () => ok(put(id, texts)));
      await Promise.all(await abreast(service.database.owner, lock, writes));
      const one = await get(id);
      expect([one["narrative"], one["edited_sections"].toSorted()]).to.deep.equal([{ a: "one", b: "two" }, ["a", "b"]]);
    });

    it("refuses an unknown section of the report, a text that is too long, and a report that was sent", async () => {
      const id = await stored({ sections });
      expect(refused(await put(id, { c: "x" }))).to.deep.equal([
        422,
        "validation",
        "errors.validation",
        { c: "errors.validation" },
      ]);
      expect((await put(id, { a: "x".repeat(20_001) })).status).to.equal(422);
      await service.sql.query("update reports set sent_at = now(), status = 'sent' where id = $1", [id]);
      expect(refused(await put(id, { a: "x" }))).to.deep.equal(ALREADY_SENT);
      expect(refused(await put(NOBODY, { a: "x" }))).to.deep.equal(NOT_FOUND);
    });

    it("refuses a stale tag", async () => {
      const id = await stored({ sections });
      const { headers } = await tenant.owner.get(at(id));
      await ok(put(id, { a: "x" }));
      const stale = { headers: { "If-Match": String(headers["etag"]) } };
      expect((await tenant.owner.put(at(id, "/narrative"), { narrative: { a: "y" } }, stale)).status).to.equal(412);
    });
  });

  describe("POST rewrite", () => {
    const rewrite = (id: string, section_key = KEY) => tenant.owner.post(at(id, "/rewrite"), { section_key });

    it("keeps the text where no model writes, and says why", async () => {
      const { id } = await made(service, tenant.owner, { company_id: company["id"], ...JANUARY });
      await ok(tenant.owner.put(at(id, "/narrative"), { narrative: { [KEY]: "Mine" } }));
      const report = await ok(rewrite(id));
      expect(report).to.deep.include({ narrative: { [KEY]: "Mine" }, edited_sections: [KEY] });
      expect(codesOf(report)).to.deep.equal(["ai_unavailable"]);
    });

    it("refuses a section without data, a report in the making and one that was sent", async () => {
      const { id } = await made(service, tenant.owner, { company_id: company["id"], ...JANUARY });
      const without = [422, "validation", "errors.validation", { section_key: "errors.validation" }];
      expect(refused(await rewrite(id, "marketing.social"))).to.deep.equal(without);
      expect(refused(await rewrite(await stored({ period_start: "2025-01-01" })))).to.deep.equal(without);
      await service.sql.query("update reports set status = 'generating' where id = $1", [id]);
      expect(refused(await rewrite(id))).to.deep.equal(NOT_READY);
      await service.sql.query("update reports set status = 'sent', sent_at = now() where id = $1", [id]);
      expect(refused(await rewrite(id))).to.deep.equal(ALREADY_SENT);
      expect(refused(await rewrite(NOBODY))).to.deep.equal(NOT_FOUND);
    });
  });

  describe("POST publish", () => {
    const publish = (id: string, query = "") => tenant.owner.post(at(id, `/publish${query}`));

    it("shows a report in the portal, and withdraws it", async () => {
      const id = await stored();
      const first = await ok(publish(id));
      expect(first["published_at"]).to.be.a("string");
      expect((await ok(publish(id)))["published_at"]).to.equal(first["published_at"]);
      expect((await ok(publish(id, "?published=false")))["published_at"]).to.equal(null);
      const { rows } = await service.sql.query(
        "select action from activity where entity_type = 'report' and entity_id = $1 order by created_at, id",
        [id],
      );
      expect(rows.map(({ action }) => action)).to.deep.equal(["published", "withdrawn"]);
    });

    it("refuses internal reports, and those without a finished document", async () => {
      const internal = [422, "validation", "errors.reporting.internal_not_publishable"];
      const inside = await stored({ audience: "internal" });
      for (const query of ["", "?published=false"]) expect(refused(await publish(inside, query))).to.deep.equal(internal);
      for (const [n, status] of ["draft", "generating", "failed"].entries()) {
        const id = await stored({ status, period_start: `2025-0${n + 1}-01` });
        expect(refused(await publish(id)), status).to.deep.equal(NOT_READY);
        expect((await publish(id, "?published=false")).status, status).to.equal(200);
      }
    });
  });

  describe("DELETE", () => {
    it("takes its document along", async () => {
      const { id, pdf_file_id } = await made(service, tenant.owner, { company_id: company["id"], ...JANUARY });
      expect((await tenant.owner.get(`/files/${pdf_file_id}`)).status).to.equal(200);
      // It belongs to the report, and only the report's own endpoints remove it.
      expect((await tenant.owner.delete(`/files/${pdf_file_id}`)).status).to.equal(403);
      expect((await tenant.owner.delete(at(id))).status).to.equal(204);
      for (const path of [at(id), `/files/${pdf_file_id}`]) expect((await tenant.owner.get(path)).status).to.equal(404);
    });

    it("refuses a report that was ever sent, also while it is made again", async () => {
      const id = await stored({ sent_at: "2026-02-01T00:00:00Z", status: "ready" });
      expect(refused(await tenant.owner.delete(at(id)))).to.deep.equal(ALREADY_SENT);
      expect(refused(await tenant.owner.delete(at(NOBODY)))).to.deep.equal(NOT_FOUND);
    });
  });
});
