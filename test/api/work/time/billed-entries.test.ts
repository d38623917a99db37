import { expect } from "chai";
import { importSheet } from "../../../support/impex.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { Invoicing, ok, refused } from "../../money/documents/invoicing.ts";
import { Hours } from "./hours.ts";

const BILLED = [409, "errors.time_entry_invoiced"];

describe("an entry that a document bills", () => {
  let service: TestService;
  let tenant: Tenant;
  let books: Invoicing;
  let hours: Hours;
  let owner: Caller;
  let id: string;
  let document: string;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    books = await Invoicing.open(service, tenant);
    hours = new Hours(service, tenant);
    owner = tenant.owner;
    id = await books.hour({ description: "Drew" });
    document = (await books.draft([books.line(1, 80, "21", { line_kind: "hours", time_entry_ids: [id] })])).id;
  });
  after(() => service.stop());

  const patch = (body: object) => owner.patch(`/time/entries/${id}`, body);
  const entry = () => ok(owner.get(`/time/entries/${id}`));
  const stamp = (path: string, body: object) => owner.post(`/time/entries/${path}`, { entry_ids: [id], ...body });

  it("is locked for everyone once the document is issued: its times, its references, billable, and its deletion", async () => {
    await books.issue(document);
    const before = await entry();
    const [project_id, task_id] = [await hours.project(), await hours.task()];
    for (const body of [
      { started_at: "2026-05-04T08:00:00Z" },
      { ended_at: "2026-05-04T11:00:00Z" },
      { minutes: 30 },
      { break_minutes: 10 },
      { billable: false },
      { company_id: null },
      { project_id },
      { task_id },
      { task_id, description: "Other words beside it" },
    ])
      expect(refused(await patch(body)), JSON.stringify(body)).to.deep.equal(BILLED);
    expect(refused(await owner.delete(`/time/entries/${id}`))).to.deep.equal(BILLED);
    expect(await entry()).to.deep.equal(before);
  });

  it("keeps its description and type free, and takes values again that it has", async () => {
    await books.issue(document);
    const { started_at, ended_at, minutes, break_minutes, billable, company_id } = await entry();
    const sent = { started_at, ended_at, minutes, break_minutes, billable, company_id: company_id.toUpperCase() };
    expect((await patch({ ...sent, description: "Drew a plan", entry_type_key: "work" })).body).to.include({
      description: "Drew a plan",
      entry_type_key: "work",
      minutes: 60,
    });
  });

  it("is neither un-approved nor un-invoiced, and no other entry of the call with it", async () => {
    await books.issue(document);
    const free = await books.hour({ invoiced_at: "2026-05-06T09:00:00Z" });
    const both = { entry_ids: [free, id] };
    expect(refused(await stamp("approve", { ...both, approved: false }))).to.deep.equal(BILLED);
    expect(refused(await stamp("invoice", { ...both, invoiced: false }))).to.deep.equal(BILLED);
    expect(await books.stamped([free, id])).to.deep.equal([true, true]);
    // The current value is not a change.
    expect((await stamp("approve", { approved: true })).body).to.deep.equal({ updated: 0 });
    expect((await stamp("invoice", { invoiced: true })).body).to.deep.equal({ updated: 0 });
    expect((await stamp("invoice", { entry_ids: [free], invoiced: false })).body).to.deep.equal({ updated: 1 });
    await service.sql.query("update time_entries set invoiced_at = null where id = $1", [id]);
    expect((await stamp("invoice", { invoiced: false })).body).to.deep.equal({ updated: 0 });
  });

  it("is refused row by row by an import, which leaves the others in", async () => {
    await books.issue(document);
    const other = await books.hour();
    const sheet = ["id,minutes,description", `${id},30,`, `${other},30,`].join("\r\n");
    const report = await importSheet(owner, "time_entry", sheet);
    expect(report.errors.map(({ row, column, error }: Record<string, unknown>) => [row, column, error])).to.deep.equal([
      [2, "_", "errors.time_entry_invoiced"],
    ]);
    expect((await entry()).minutes).to.equal(60);
    const words = await importSheet(owner, "time_entry", ["id,minutes,description", `${id},60,Drew more`].join("\r\n"));
    expect([words.updated, words.errors]).to.deep.equal([1, []]);
  });

  it("loses its client, project or task where those go", async () => {
    const project_id = await hours.project({ company_id: books.company });
    const [other, task_id] = [await books.hour({ project_id }), await hours.task({ project_id })];
    await ok(owner.patch(`/time/entries/${other}`, { task_id, project_id }));
    await books.issued([books.line(1, 80, "21", { line_kind: "hours", time_entry_ids: [other] })]);
    expect((await owner.delete(`/tasks/${task_id}`)).status).to.equal(204);
    expect((await owner.delete(`/projects/${project_id}`)).status).to.equal(204);
    expect((await owner.get(`/time/entries/${other}`)).body).to.include({ project_id: null, task_id: null, minutes: 60 });
  });

  it("gives way while the document is a draft, and again when it is cancelled", async () => {
    expect((await patch({ minutes: 30 })).body.minutes).to.equal(30);
    await books.issue(document);
    expect(refused(await patch({ minutes: 45 }))).to.deep.equal(BILLED);
    await ok(owner.post(`/invoicing/invoices/${document}/cancel`));
    expect((await patch({ minutes: 45 })).body).to.include({ minutes: 45, invoiced_at: null });
    expect((await owner.delete(`/time/entries/${id}`)).status).to.equal(204);
  });

  it("is either changed before the document is issued or not at all", async () => {
    for (let round = 0; round < 6; round++) {
      const one = await books.hour();
      const draft = await books.draft([books.line(1, 80, "21", { line_kind: "hours", time_entry_ids: [one] })]);
      const [changed, issued] = await Promise.all([
        owner.patch(`/time/entries/${one}`, { minutes: 30 }),
        owner.post(`/invoicing/invoices/${draft.id}/issue`, {}),
      ]);
      expect(issued.status, issued.text).to.equal(200);
      expect(changed.status).to.be.oneOf([200, 409]);
      expect((await ok(owner.get(`/time/entries/${one}`))).minutes).to.equal(changed.status === 200 ? 30 : 60);
    }
  });
});
