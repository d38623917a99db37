import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { makeAgreement } from "../money/agreements/agreement-records.ts";
import { type Body, bodyOf, expectRefusal, makeProject, makeTask, rosterOf } from "../work/tasks/task-records.ts";

describe("the work of a member", () => {
  let service: TestService;
  let tenant: Tenant;
  let owner: Caller;
  let gone: Caller;
  let heir: Caller;
  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());
  beforeEach(async () => {
    tenant = await service.tenant();
    ({ owner } = tenant);
    [gone, heir] = [await tenant.member("member", { name: "Gone" }), await tenant.member("member", { name: "Heir" })];
  });

  const starred = ({ accountId: user_id }: Caller, ...others: Caller[]) => ({
    assignees: [{ user_id, is_primary: true }, ...others.map(({ accountId }) => ({ user_id: accountId }))],
  });
  const openWork = (who: Caller, id = gone.membershipId) => who.get(`/members/${id}/open-work`);
  const handOver = (to: string, who = owner, id = gone.membershipId) => who.post(`/members/${id}/hand-over`, { to });
  /** What hangs on a member: by kind the titles. */
  const titles = (body: Body): Record<string, string[]> =>
    Object.fromEntries(body.groups.map(({ kind, items }: Body) => [kind, items.map(({ title }: Body) => title)]));

  /** One record of every kind that hangs on a member, next to records that do not. */
  async function everything() {
    const company = await tenant.company({ name: "Bakery", ...starred(gone, heir) });
    await tenant.company({ name: "Other", ...starred(heir, gone) });
    const project = await makeProject(owner, { name: "Site", company_id: company.id, ...starred(gone) });
    const task = await makeTask(owner, { title: "Open", company_id: company.id, ...starred(gone, owner) });
    const helped = await makeTask(owner, { title: "Helped", ...starred(owner, gone) });
    const done = await makeTask(owner, { title: "Done", ...starred(gone), status: "done" });
    const plan = { user_id: gone.accountId, start_time: "09:00", duration_minutes: 30 };
    const series = await makeTask(owner, { title: "Planned", ...starred(owner), recurrence: { freq: "daily", plan } });
    const template = bodyOf(
      await owner.post("/tasks/templates", { name: "Start", items: [{ title: "Call", assignee_user_id: gone.accountId }] }),
    );
    const type = bodyOf(
      await owner.post("/subscriptions/types", { key: "care", name: "Care", task_template_ids: [template.id] }),
    );
    await makeAgreement(tenant, { company_id: company.id, name: "Care plan", subscription_type_id: type.id, status: "draft" });
    const rule = bodyOf(
      await owner.post("/automation/rules", {
        name: "Tell",
        trigger_event: "task.created",
        enabled: false,
        actions: [
          {
            action_type: "notification.send",
            config: { message: "x", user_ids: [gone.accountId.toUpperCase(), heir.accountId] },
          },
          { action_type: "task.assign", config: { user_id: gone.accountId } },
        ],
      }),
    );
    return { company, project, task, helped, done, series, template, rule };
  }

  const ALL = {
    company: ["Bakery"],
    project: ["Site"],
    task: ["Helped", "Open"],
    series: ["Planned"],
    template: ["Start"],
    agreement: ["Care plan"],
    rule: ["Tell"],
  };

  it("is listed by kind, also of a deactivated member, as far as the caller may read it", async () => {
    const { company } = await everything();
    const found = bodyOf(await openWork(owner));
    expect(titles(found)).to.deep.equal(ALL);
    expect(found.groups.map(({ total }: Body) => total)).to.deep.equal([1, 1, 2, 1, 1, 1, 1]);
    expect(found.user_id).to.equal(gone.accountId);
    bodyOf(await owner.patch(`/members/${gone.membershipId}/account`, { active: false }));
    expect(titles(bodyOf(await openWork(owner)))).to.deep.equal(ALL);

    const clerk = await tenant.member("member", { grants: ["members.member.read", "tasks.task.read"] });
    expect(titles(bodyOf(await openWork(clerk)))).to.deep.equal({ task: ALL.task, series: ALL.series });
    const blind = await tenant.member("member", { grants: ["members.member.read", "tasks.task.read", "companies.company.read"] });
    await tenant.group("Others", [(await tenant.company()).id], [blind.membershipId]);
    expect(titles(bodyOf(await openWork(blind)))).to.deep.equal({ company: [], task: ["Helped"], series: ["Planned"] });
    expectRefusal(await openWork(heir), 403, "forbidden");
    expectRefusal(await openWork(owner, company.id), 404, "not_found");
  });

  it("goes to a colleague in one call, with the star, and stays where it is finished", async () => {
    const { company, project, task, helped, done, series, template, rule } = await everything();
    const { moved, from_user_id, to_user_id } = bodyOf(await handOver(heir.accountId));
    expect([from_user_id, to_user_id]).to.deep.equal([gone.accountId, heir.accountId]);
    expect(Object.fromEntries(moved.map(({ kind, count }: Body) => [kind, count]))).to.deep.equal({
      company: 1,
      project: 1,
      task: 2,
      series: 1,
      template: 1,
      rule: 1,
    });
    const read = async (path: string): Promise<Body> => bodyOf(await owner.get(path));
    expect((await read(`/companies/${company.id}`)).assignees).to.deep.equal(rosterOf(heir));
    expect((await read(`/projects/${project}`)).assignees).to.deep.equal(rosterOf(heir));
    expect((await read(`/tasks/${task.id}`)).assignees).to.deep.equal(rosterOf(heir, owner));
    expect((await read(`/tasks/${helped.id}`)).assignees).to.deep.equal(rosterOf(owner, heir));
    expect((await read(`/tasks/${done.id}`)).assignees).to.deep.equal(rosterOf(gone));
    expect((await read(`/tasks/${series.id}`)).recurrence.plan.user_id).to.equal(heir.accountId);
    expect((await read(`/tasks/templates/${template.id}`)).items[0].assignee_user_id).to.equal(heir.accountId);
    expect((await read(`/automation/rules/${rule.id}`)).actions.map(({ config }: Body) => config)).to.deep.equal([
      { message: "x", user_ids: [heir.accountId] },
      { user_id: heir.accountId },
    ]);
    expect(titles(bodyOf(await openWork(owner)))).to.deep.equal(Object.fromEntries(Object.keys(ALL).map((kind) => [kind, []])));
    expect(titles(bodyOf(await openWork(owner, heir.membershipId)))).to.deep.include({ ...ALL, company: ["Bakery", "Other"] });
    expect(bodyOf(await handOver(heir.membershipId)).moved).to.deep.equal([]);
    const { rows } = await service.sql.query(
      "select detail from access_audit where organisation_id = $1 and action = 'membership.handed_over' order by created_at",
      [tenant.organisation.id],
    );
    expect(rows.map(({ detail }) => [detail.to, detail.moved.length])).to.deep.equal([
      [heir.accountId, 6],
      [heir.accountId, 0],
    ]);
  });

  it("is listed and handed over by the account of a member who has left", async () => {
    await makeTask(owner, { title: "Open", ...starred(gone) });
    expect((await owner.delete(`/members/${gone.membershipId}`)).status).to.equal(204);
    expect(titles(bodyOf(await openWork(owner, gone.accountId))).task).to.deep.equal(["Open"]);
    expect(bodyOf(await handOver(heir.accountId, owner, gone.accountId)).moved).to.deep.equal([{ kind: "task", count: 1 }]);
  });

  it("goes to active colleagues alone, and not by a caller who sees some clients only", async () => {
    await makeTask(owner, { title: "Open", ...starred(gone) });
    const [inactive, client] = [await tenant.member("member"), await tenant.member("client")];
    bodyOf(await owner.patch(`/members/${inactive.membershipId}/account`, { active: false }));
    const other = await service.tenant();
    expectRefusal(await handOver(inactive.accountId), 422, "validation", { to: "errors.inactive_member" });
    expectRefusal(await handOver(inactive.membershipId), 422, "validation", { to: "errors.inactive_member" });
    expectRefusal(await handOver(client.accountId), 400, "invalid_assignee");
    expectRefusal(await handOver(other.owner.accountId), 400, "invalid_assignee");
    expectRefusal(await handOver(gone.accountId), 422, "validation", { to: "errors.validation" });
    expectRefusal(await handOver(heir.accountId, owner, other.owner.membershipId), 404, "not_found");
    const restricted = await tenant.member("admin");
    await tenant.group("Others", [(await tenant.company()).id], [restricted.membershipId]);
    expectRefusal(await handOver(heir.accountId, restricted), 403, "forbidden");
    expectRefusal(await handOver(heir.accountId, heir), 403, "forbidden");
    expect(titles(bodyOf(await openWork(owner))).task).to.deep.equal(["Open"]);
  });
});
