import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { refusalOf, trailOf } from "../clients/companies/company-records.ts";
import { bodyOf, makeTask } from "./tasks/task-records.ts";

/** Ids are read in any case (RFC 9562 §4): a caller that writes them in capitals means the same records. */
describe("ids in capitals", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
  });
  after(() => service.stop());

  it("find the agreements that lock a budget", async () => {
    const { id: company_id } = await tenant.company();
    const { id } = bodyOf(await tenant.owner.post("/projects", { name: "Site", company_id, budget_hours: 20 }));
    const included = { interval: "monthly", amount: 100, included_hours: 9, project_ids: [id] };
    bodyOf(await tenant.owner.post("/subscriptions", { name: "Care", company_id, start_date: "2026-01-01", ...included }));
    const path = `/projects/${id.toUpperCase()}`;
    expect(refusalOf(await tenant.owner.patch(path, { budget_hours: 30 })).slice(0, 2)).to.deep.equal([409, "conflict"]);
    expect(bodyOf(await tenant.owner.patch(path, { color: "red" })).budget_sources).to.have.length(1);
  });

  it("are no change of a project's client", async () => {
    const { id: company_id } = await tenant.company();
    const project = bodyOf(await tenant.owner.post("/projects", { name: "Site", company_id }));
    const resent = bodyOf(await tenant.owner.patch(`/projects/${project.id}`, { company_id: company_id.toUpperCase() }));
    expect(resent).to.deep.equal(project);
    expect((await trailOf(service.sql, "project", project.id)).map(({ action }) => action)).to.deep.equal(["created"]);
  });

  it("place the copy of a checklist after its source", async () => {
    const { id } = await makeTask(tenant.owner);
    const first = bodyOf(await tenant.owner.post(`/tasks/${id}/checklists`, { title: "First" }));
    bodyOf(await tenant.owner.post(`/tasks/${id}/checklists`, { title: "Last" }));
    const source = `/tasks/${id.toUpperCase()}/checklists/${first.id.toUpperCase()}`;
    bodyOf(await tenant.owner.post(`${source}/duplicate`, { title: "Copy" }));
    const { checklists } = bodyOf(await tenant.owner.get(`/tasks/${id}`));
    expect(checklists.map(({ title }: { title: string }) => title)).to.deep.equal(["First", "Copy", "Last"]);
  });
});
