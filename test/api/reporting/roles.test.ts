import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { enableReporting, GENERATE, storedReport } from "./report-world.ts";

const NOBODY = "0196a000-0000-7000-8000-000000000000";
type Role = "admin" | "member" | "client";

/** A call that only the permission can refuse with 403: without a row, 404 or 422 follows. */
const CALLS: [permission: string, call: (caller: Caller) => ReturnType<Caller["get"]>, roles: Role[]][] = [
  ["report.read", (caller) => caller.get("/reporting/reports"), ["admin", "member", "client"]],
  ["report.write", (caller) => caller.post(GENERATE, { company_id: NOBODY }), ["admin", "member"]],
  ["report.write", (caller) => caller.put(`/reporting/reports/${NOBODY}/narrative`, { narrative: {} }), ["admin", "member"]],
  ["report.write", (caller) => caller.post(`/reporting/reports/${NOBODY}/rewrite`, { section_key: "x" }), ["admin", "member"]],
  ["report.write", (caller) => caller.post(`/reporting/reports/${NOBODY}/publish`), ["admin", "member"]],
  ["report.write", (caller) => caller.delete(`/reporting/reports/${NOBODY}`), ["admin", "member"]],
  ["report.send", (caller) => caller.post(`/reporting/reports/${NOBODY}/send`, {}), ["admin"]],
  ["internal.read", (caller) => caller.post(GENERATE, { company_id: NOBODY, audience: "internal" }), ["admin", "member"]],
  ["profile.manage", (caller) => caller.get("/reporting/tones"), ["admin", "member"]],
  ["profile.manage", (caller) => caller.get("/reporting/templates"), ["admin", "member"]],
  ["profile.manage", (caller) => caller.get("/reporting/settings"), ["admin", "member"]],
  ["profile.manage", (caller) => caller.get(`/reporting/companies/${NOBODY}/profile`), ["admin", "member"]],
  ["profile.manage", (caller) => caller.put(`/reporting/companies/${NOBODY}/profile`, {}), ["admin", "member"]],
  ["settings.manage", (caller) => caller.post("/reporting/tones", {}), ["admin"]],
  ["settings.manage", (caller) => caller.post("/reporting/templates", {}), ["admin"]],
  ["settings.manage", (caller) => caller.post("/reporting/templates/preview", { audience: "x" }), ["admin"]],
  ["settings.manage", (caller) => caller.get("/reporting/templates/designs/standard/source"), ["admin"]],
  ["settings.manage", (caller) => caller.put("/reporting/settings", { footer_text: 1 }), ["admin"]],
];

describe("what a role may do with reports (workspace-reporting §1)", () => {
  let service: TestService;
  let tenant: Tenant;
  let callers: Record<Role, Caller>;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    await enableReporting(service, tenant);
    callers = {
      admin: await tenant.member("admin"),
      member: await tenant.member("member"),
      client: await tenant.member("client"),
    };
  });
  after(() => service.stop());

  for (const [at, [permission, call, roles]] of CALLS.entries())
    it(`${permission} is a grant of ${roles.join(", ")} alone (call ${at + 1})`, async () => {
      const allowed: string[] = [];
      for (const [role, caller] of Object.entries(callers)) if ((await call(caller)).status !== 403) allowed.push(role);
      expect(allowed).to.deep.equal(roles);
    });

  it("lists internal reports for administrators and members", async () => {
    await storedReport(service, tenant, (await tenant.company()).id, { audience: "internal" });
    const totals: [string, number][] = [];
    for (const [role, caller] of Object.entries(callers))
      totals.push([role, (await caller.get("/reporting/reports?audience=internal")).body.total]);
    expect(totals).to.deep.equal([
      ["admin", 1],
      ["member", 1],
      ["client", 0],
    ]);
  });
});
