import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { keepEvents } from "../../../support/jobs.ts";
import { fileBody } from "../../../support/multipart.ts";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { eventsOf, invalidOn, refusalOf, trailOf } from "../../clients/companies/company-records.ts";
import { entryOf, person, projectOf } from "./project-records.ts";

describe("PATCH and DELETE /projects/{project_id}", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
    await keepEvents(service);
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const patch = (id: string, body: object) => tenant.owner.patch(`/projects/${id}`, body);
  const changesOf = async (id: string) =>
    (await trailOf(service.sql, "project", id)).flatMap(({ action, payload }) => (action === "updated" ? [payload.changes] : []));

  it("changes the sent fields and leaves the rest", async () => {
    const before = await projectOf(tenant, { name: "Old", budget_hours: 10, color: "red" });
    const { status, body } = await patch(before.id, { name: "New", status: "completed", color: null, budget_hours: null });
    expect(status).to.equal(200);
    const changed = { name: "New", status: "completed", color: null, budget_hours: null, updated_at: body.updated_at };
    expect(body).to.deep.equal({ ...before, ...changed });
    expect((await tenant.owner.get(`/projects/${before.id}`)).body).to.deep.equal(body);
  });

  it("moves to another client with its name, and never to none", async () => {
    const { id, company_id } = await projectOf(tenant);
    const other = await tenant.company({ name: "Other" });
    expect((await patch(id, { company_id: other.id })).body).to.include({ company_id: other.id, company_name: "Other" });
    expect(refusalOf(await patch(id, { company_id: null }))).to.deep.equal(
      invalidOn({ company_id: "errors.projects_company_required" }),
    );
    expect((await patch(id, { company_id: randomUUID() })).status).to.equal(404);
    const elsewhere = await (await service.tenant()).company();
    expect((await patch(id, { company_id: elsewhere.id })).status).to.equal(404);
    const admin = await tenant.member("admin");
    await tenant.group(`Narrow ${id}`, [other.id], [admin.membershipId]);
    expect((await admin.patch(`/projects/${id}`, { company_id })).status).to.equal(404);
    expect((await tenant.owner.get(`/projects/${id}`)).body.company_id).to.equal(other.id);
  });

  it("keeps a project of no client changeable", async () => {
    const { id } = await projectOf(tenant);
    await service.sql.query("update projects set company_id = null where id = $1", [id]);
    expect((await patch(id, { name: "Loose" })).body).to.include({ name: "Loose", company_id: null, company_name: null });
  });

  for (const field of ["name", "status", "billable_default", "budget_period", "currency"])
    it(`refuses null for ${field}`, async () => {
      const { id } = await projectOf(tenant);
      expect(refusalOf(await patch(id, { [field]: null }))).to.deep.equal(invalidOn({ [field]: "errors.validation" }));
    });

  it("lets any status follow any other", async () => {
    const { id } = await projectOf(tenant);
    for (const status of ["archived", "on_hold", "completed", "active", "completed", "archived", "active"])
      expect((await patch(id, { status })).body.status).to.equal(status);
  });

  describe("a placeholder for a name", () => {
    it("is one until a name is sent, the same name too", async () => {
      const { id } = await projectOf(tenant, { name: "New project", unnamed: true });
      expect((await patch(id, { color: "red", unnamed: true })).body.unnamed).to.equal(true);
      expect((await patch(id, { name: " " })).status).to.equal(422);
      expect((await tenant.owner.get(`/projects/${id}`)).body.unnamed).to.equal(true);
      expect((await patch(id, { name: "New project" })).body.unnamed).to.equal(false);
      expect((await patch(id, { unnamed: true })).body.unnamed).to.equal(false);
      expect(await changesOf(id)).to.deep.equal([]);
    });
  });

  describe("the roster", () => {
    it("becomes the list, with a notification for new people", async () => {
      const [anna, bob, carl] = [await tenant.member("member"), await tenant.member("member"), await tenant.member("member")];
      const { id, company_id } = await projectOf(tenant, { name: "R", assignees: [person(anna), person(bob)] });
      const { body } = await patch(id, { assignees: [person(bob), person(carl, true)] });
      expect(body.assignees).to.deep.equal([person(carl, true), person(bob, false)]);
      expect(body.responsible_user_id).to.equal(carl.accountId);
      expect((await eventsOf(service.sql, id)).slice(2)).to.deep.equal([
        { event: "project.assigned", payload: { project_id: id, company_id, title: "R", recipients: [carl.accountId] } },
      ]);
      expect(await changesOf(id)).to.deep.equal([{ responsible_user_id: { from: anna.accountId, to: carl.accountId } }]);
      expect((await patch(id, { assignees: [] })).body).to.deep.include({ assignees: [], responsible_user_id: null });
    });

    it("keeps everyone when only the star moves, and removes the star alone with null", async () => {
      const [anna, bob] = [await tenant.member("member"), await tenant.member("member")];
      const { id } = await projectOf(tenant, { assignees: [person(anna)] });
      const moved = await patch(id, { responsible_user_id: bob.accountId });
      expect(moved.body.assignees).to.deep.equal([person(bob, true), person(anna, false)]);
      const bare = await patch(id, { responsible_user_id: null });
      expect(bare.body.responsible_user_id).to.equal(null);
      expect(bare.body.assignees.map(({ is_primary }: { is_primary: boolean }) => is_primary)).to.deep.equal([false, false]);
    });

    it("leaves no trace when it is sent again, or when it is not sent", async () => {
      const [anna, bob] = [await tenant.member("member"), await tenant.member("member")];
      const { id, updated_at } = await projectOf(tenant, { assignees: [person(anna), person(bob)] });
      expect((await patch(id, { assignees: [person(bob), person(anna, true)] })).body.updated_at).to.equal(updated_at);
      expect((await patch(id, { responsible_user_id: anna.accountId })).body.updated_at).to.equal(updated_at);
      expect((await patch(id, {})).body.updated_at).to.equal(updated_at);
      expect(await eventsOf(service.sql, id)).to.have.length(2);
    });

    it("refuses two stars and non-members", async () => {
      const { id } = await projectOf(tenant);
      const two = await patch(id, { assignees: [person(tenant.owner, true), person(await tenant.member("member"), true)] });
      expect(refusalOf(two)).to.deep.equal([400, "multiple_primary_assignees", null]);
      const stranger = await (await service.tenant()).member("member");
      for (const who of [randomUUID(), stranger.accountId])
        expect(refusalOf(await patch(id, { responsible_user_id: who }))).to.deep.equal([400, "invalid_assignee", null]);
    });

    it("keeps a former member and does not star one", async () => {
      const anna = await tenant.member("member");
      const both = [person(tenant.owner, true), person(anna)];
      const { id } = await projectOf(tenant, { assignees: both });
      await service.sql.query("delete from memberships where id = $1", [anna.membershipId]);
      const starred = await patch(id, { responsible_user_id: anna.accountId });
      expect(refusalOf(starred)).to.deep.equal([400, "invalid_assignee", null]);
      expect((await patch(id, { name: "Renamed", assignees: both })).status).to.equal(200);
    });

    it("loses a person with the account, and the project stays", async () => {
      const anna = await tenant.member("member");
      const { id } = await projectOf(tenant, { assignees: [person(anna), person(tenant.owner)] });
      await service.sql.query("delete from accounts where id = $1", [anna.accountId]);
      expect((await tenant.owner.get(`/projects/${id}`)).body).to.deep.include({
        assignees: [person(tenant.owner, false)],
        responsible_user_id: null,
      });
    });
  });

  it("refuses an end before the start, on create, update and each of the two alone", async () => {
    const refused = invalidOn({ end_date: "errors.validation" });
    const { id, company_id } = await projectOf(tenant, { start_date: "2026-02-01", end_date: "2026-02-01" });
    const dates = { start_date: "2026-02-02", end_date: "2026-02-01" };
    expect(refusalOf(await tenant.owner.post("/projects", { name: "T", company_id, ...dates }))).to.deep.equal(refused);
    for (const body of [dates, { start_date: "2026-02-02" }, { end_date: "2026-01-31" }])
      expect(refusalOf(await patch(id, body)), JSON.stringify(body)).to.deep.equal(refused);
    expect((await patch(id, { start_date: "2026-03-01", end_date: null })).status).to.equal(200);
    await service.sql.query("update projects set end_date = '2026-01-01' where id = $1", [id]);
    expect((await patch(id, { name: "Of an older version" })).status).to.equal(200);
  });

  describe("the trail", () => {
    it("has the tracked fields that really changed, budgets as numbers", async () => {
      const { id, company_id } = await projectOf(tenant, { name: "T", budget_hours: 20, budget_amount: 100 });
      const other = await tenant.company();
      const values = {
        name: "U",
        status: "on_hold",
        company_id: other.id,
        budget_hours: 30.5,
        budget_amount: null,
        budget_period: "weekly",
        billable_default: false,
        start_date: "2026-01-01",
        end_date: "2026-02-01",
      };
      await patch(id, { ...values, description: "d", color: "red", currency: "USD" });
      expect(await changesOf(id)).to.deep.equal([
        {
          name: { from: "T", to: "U" },
          status: { from: "active", to: "on_hold" },
          company_id: { from: company_id, to: other.id },
          budget_hours: { from: 20, to: 30.5 },
          budget_amount: { from: 100, to: null },
          budget_period: { from: "total", to: "weekly" },
          billable_default: { from: true, to: false },
          start_date: { from: null, to: "2026-01-01" },
          end_date: { from: null, to: "2026-02-01" },
        },
      ]);
      await patch(id, { ...values, description: "e" });
      expect(await changesOf(id)).to.have.length(1);
    });
  });

  it("has files, which its trail lists and which are deleted with it", async () => {
    const { id } = await projectOf(tenant);
    const { body: sent, headers } = fileBody("offer", "text/plain", "offer.txt");
    const { body: file } = await tenant.owner.post(`/files?entity_type=project&entity_id=${id}`, sent, { headers });
    const { body: other } = await tenant.owner.post(`/files?entity_type=project&entity_id=${id}`, sent, { headers });
    await tenant.owner.delete(`/files/${file.id}`);
    const { body: lines } = await tenant.owner.get(`/activity?entity_type=project&entity_id=${id}`);
    expect(lines.map(({ action, payload }: Record<string, unknown>) => [action, payload])).to.deep.equal([
      ["file_removed", { filename: "offer.txt" }],
      ["file_attached", { filename: "offer.txt" }],
      ["file_attached", { filename: "offer.txt" }],
      ["created", {}],
    ]);
    await tenant.owner.delete(`/projects/${id}`);
    expect((await tenant.owner.get(`/files/${other.id}`)).status).to.equal(404);
  });

  it("notifies the roster of another status, with the new status", async () => {
    const [anna, bob] = [await tenant.member("member"), await tenant.member("member")];
    const { id, company_id } = await projectOf(tenant, { name: "S", assignees: [person(anna)] });
    await patch(id, { status: "active" });
    await patch(id, { status: "on_hold", assignees: [person(bob)] });
    expect((await eventsOf(service.sql, id)).slice(2)).to.deep.equal([
      {
        event: "project.status_changed",
        payload: { project_id: id, company_id, title: "S", from: "active", to: "on_hold", recipients: [bob.accountId] },
      },
      { event: "project.assigned", payload: { project_id: id, company_id, title: "S", recipients: [bob.accountId] } },
    ]);
  });

  it("needs its permission, also of those on the roster", async () => {
    const anna = await tenant.member("member");
    const { id } = await projectOf(tenant, { assignees: [person(anna)] });
    expect((await anna.patch(`/projects/${id}`, { name: "x" })).status).to.equal(403);
    expect((await anna.post("/projects", {})).status).to.equal(403);
    expect((await anna.delete(`/projects/${id}`)).status).to.equal(403);
    expect((await anna.get(`/projects/${id}`)).status).to.equal(200);
  });

  it("lets one of two writers with one tag win", async () => {
    const { id } = await projectOf(tenant);
    const { headers } = await tenant.owner.get(`/projects/${id}`);
    const call = { headers: { "If-Match": headers.etag as string } };
    const answers = await Promise.all([1, 2].map((n) => tenant.owner.patch(`/projects/${id}`, { name: `N${n}` }, call)));
    expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([200, 412]);
  });

  it("answers a roster that changes during a deletion of its person with the remaining roster", async () => {
    const anna = await tenant.member("member");
    const { id } = await projectOf(tenant, { assignees: [person(tenant.owner)] });
    const [{ status }] = await Promise.all([
      patch(id, { assignees: [person(tenant.owner), person(anna)] }),
      service.sql.query("delete from accounts where id = $1", [anna.accountId]),
    ]);
    expect(status).to.be.oneOf([200, 400]);
    expect((await tenant.owner.get(`/projects/${id}`)).body.assignees).to.deep.equal([person(tenant.owner, true)]);
  });

  it("deletes a project and keeps its tasks and hours", async () => {
    const { id } = await projectOf(tenant);
    const entry = await entryOf(service, tenant, { project_id: id, started_at: "2026-01-05T09:00:00Z" });
    const { organisation } = tenant;
    await service.sql.query(
      "insert into task_statuses (id, organisation_id, key, name, color) values (gen_random_uuid(), $1, 'open', 'Open', 'sky') on conflict do nothing",
      [organisation.id],
    );
    const task = randomUUID();
    await service.sql.query(
      "insert into tasks (id, organisation_id, project_id, title, status) values ($1, $2, $3, 'Kept', 'open')",
      [task, organisation.id, id],
    );
    expect((await tenant.owner.delete(`/projects/${id}`)).status).to.equal(204);
    expect((await tenant.owner.get(`/projects/${id}`)).status).to.equal(404);
    const { rows } = await service.sql.query(
      `select project_id, version from tasks where id = $1 union all select project_id, version from time_entries where id = $2`,
      [task, entry],
    );
    expect(rows).to.deep.equal([
      { project_id: null, version: 2 },
      { project_id: null, version: 2 },
    ]);
  });

  it("keeps a project whose client goes", async () => {
    const { id, company_id } = await projectOf(tenant);
    expect((await tenant.owner.delete(`/companies/${company_id}`)).status).to.equal(204);
    expect((await tenant.owner.get(`/projects/${id}`)).body).to.include({ company_id: null, company_name: null });
  });
});
