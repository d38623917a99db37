import { expect } from "chai";

import type { Answer } from "../../support/http.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { makeLogin, signedIn } from "../portal/portal.ts";
import { enableReporting, made, restoreFigures, storedReport, visits, withFigures } from "./report-world.ts";
import { FORBIDDEN, NOT_FOUND, ok, type Row, refused } from "./reporting-world.ts";

type Reader = { get(path: string): Promise<Answer> };

const WARNINGS = JSON.stringify([{ code: "section_failed", detail: "x" }]);

describe('who sees a report (workspace-reporting §1.5 "Visibility")', function () {
  this.timeout(120_000);
  let service: TestService;
  let tenant: Tenant;
  let [mine, theirs]: string[] = [];
  let reports: Record<"open" | "hidden" | "unpublished" | "internal" | "gone", string>;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    await enableReporting(service, tenant);
    [mine, theirs] = [(await tenant.company()).id, (await tenant.company()).id];
    const published_at = "2026-02-05T08:00:00Z";
    const stored = (of: string | null | undefined, values: object) =>
      storedReport(service, tenant, of ?? null, { warnings: WARNINGS, ...values });
    reports = {
      open: await stored(mine, { published_at }),
      hidden: await stored(theirs, { published_at }),
      unpublished: await stored(mine, { period_start: "2025-12-01" }),
      internal: await stored(mine, { audience: "internal" }),
      gone: await stored(null, { published_at, period_start: "2025-11-01" }),
    };
  });
  after(() => service.stop());

  const seenBy = async (reader: Reader): Promise<string[]> => {
    const { items, total } = await ok(reader.get("/reporting/reports"));
    expect(total).to.equal(items.length);
    const named = Object.entries(reports);
    const listed = items.map(({ id }: Row) => named.find(([, one]) => one === id)?.[0]);
    // Listed records can be read, and nothing else, by any endpoint.
    for (const [name, id] of named) {
      const isListed = listed.includes(name);
      const answers = [await reader.get(`/reporting/reports/${id}`)];
      if (!isListed) for (const part of ["pdf", "preview"]) answers.push(await reader.get(`/reporting/reports/${id}/${part}`));
      for (const answer of answers)
        if (isListed) expect(answer.status, name).to.equal(200);
        else expect(refused(answer), name).to.deep.equal(NOT_FOUND);
    }
    return listed.toSorted();
  };

  it("is all of them for readers of internal ones who see every client", async () => {
    const all = ["gone", "hidden", "internal", "open", "unpublished"];
    for (const reader of [tenant.owner, await tenant.member("admin"), await tenant.member("member")])
      expect(await seenBy(reader)).to.deep.equal(all);
  });

  it("leaves out internal ones without the permission for them", async () => {
    const reader = await tenant.member("member", { grants: ["reporting.report.read:any", "activity.read"] });
    expect(await seenBy(reader)).to.deep.equal(["gone", "hidden", "open", "unpublished"]);
    const writer = await tenant.member("member", { grants: ["reporting.report.read:any", "reporting.report.write"] });
    const path = `/reporting/reports/${reports.internal}`;
    for (const answer of [await writer.put(`${path}/narrative`, { narrative: {} }), await writer.delete(path)])
      expect(refused(answer)).to.deep.equal(NOT_FOUND);
    expect((await ok(reader.get("/reporting/reports?audience=internal")))["total"]).to.equal(0);
  });

  it("leaves out other clients for restricted staff, and clients that are gone", async () => {
    const member = await tenant.member("member");
    await tenant.group("mine", [mine as string], [member.membershipId]);
    expect(await seenBy(member)).to.deep.equal(["internal", "open", "unpublished"]);
    expect((await ok(member.get(`/reporting/reports?company_id=${theirs}`)))["total"]).to.equal(0);
  });

  it("is the published ones of its own clients for a client login, without warnings", async () => {
    const { email } = await makeLogin(service, tenant, [mine as string]);
    const login = await signedIn(service, tenant, email);
    expect(await seenBy(login)).to.deep.equal(["open"]);
    const { items } = await ok(login.get("/reporting/reports"));
    expect(items[0].warning_count).to.equal(0);
    expect(await ok(login.get(`/reporting/reports/${reports.open}`))).to.deep.include({ warnings: [], warning_count: 0 });
    const nobodys = await makeLogin(service, tenant, []);
    expect(await seenBy(await signedIn(service, tenant, nobodys.email))).to.deep.equal([]);
    for (const [method, path] of [
      ["put", "narrative"],
      ["post", "publish"],
    ] as const)
      expect((await login[method](`/reporting/reports/${reports.open}/${path}`, { narrative: {} })).status).to.equal(403);
  });

  it("holds for the file of its document, and for the trail", async () => {
    withFigures({ "marketing.traffic_channels": async () => visits(5), "marketing.site_audit": async () => visits(6) });
    const period = { period_start: "2025-10-01", period_end: "2025-10-31" };
    const inside = await made(service, tenant.owner, { company_id: mine, audience: "internal", ...period });
    const outside = await made(service, tenant.owner, { company_id: mine, ...period });
    restoreFigures();
    const reader = await tenant.member("member", { grants: ["reporting.report.read:any", "activity.read"] });
    const { email } = await makeLogin(service, tenant, [mine as string]);
    const login = await signedIn(service, tenant, email);
    const fileOf = ({ pdf_file_id }: Row) => `/files/${pdf_file_id}`;
    const trailOf = ({ id }: Row, kind: string) => `/activity?entity_type=${kind}&entity_id=${id}`;
    for (const caller of [reader, login]) {
      expect((await caller.get(fileOf(outside))).status).to.equal(200);
      expect(refused(await caller.get(fileOf(inside)))).to.deep.equal(NOT_FOUND);
    }
    expect((await tenant.owner.get(fileOf(inside))).status).to.equal(200);
    await ok(tenant.owner.post(`/reporting/reports/${outside["id"]}/publish?published=false`));
    expect(refused(await login.get(fileOf(outside)))).to.deep.equal(NOT_FOUND);
    expect(await ok(reader.get(trailOf(outside, "report")))).to.have.length.greaterThan(0);
    // Of its own kind they need the permission, under the other there is nothing.
    expect(await ok(reader.get(trailOf(inside, "report")))).to.deep.equal([]);
    expect(refused(await reader.get(trailOf(inside, "internal_report")))).to.deep.equal(FORBIDDEN);
    expect(await ok(tenant.owner.get(trailOf(inside, "internal_report")))).to.have.length.greaterThan(0);
  });
});
