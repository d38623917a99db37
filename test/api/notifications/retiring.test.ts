import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { recordsOf } from "../work/interactions/interaction-records.ts";
import { type Body, bodyOf, heard, rowsAbout, unread } from "./inbox-records.ts";

describe("notifications that a later write marks read (platform chapter §5.2)", () => {
  let service: TestService;
  let tenant: Tenant;
  let anna: Caller;
  let boss: Caller;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    anna = await tenant.member("member", { name: "Anna" });
    boss = await tenant.member("admin", { name: "Boss" });
  });
  after(() => service.stop());

  const leave = async (day = "2030-03-06"): Promise<string> => {
    const types = bodyOf(await tenant.owner.get("/leave/types"));
    const { id: leave_type_id } = (types.items ?? types).find(({ requires_approval }: Body) => requires_approval);
    return bodyOf(await anna.post("/leave/requests", { leave_type_id, start_date: day, end_date: day })).id;
  };
  /** Inserts inbox rows of an event for some people. */
  const reported = (event: string, type: string, id: string, ...people: Caller[]) =>
    service.sql.query(
      `with e as (insert into notification_events (id, organisation_id, event_type, entity_type, entity_id)
         values ($1, $2, $3, $4, $5) returning id)
       insert into notifications (organisation_id, account_id, event_id, event_type, entity_type, entity_id, visible_at)
       select $2, p, e.id, $3, $4, $5, now() + interval '1 hour' * (n - 1) from e, unnest($6::uuid[]) with ordinality p(p, n)`,
      [randomUUID(), tenant.organisation.id, event, type, id, people.map(({ accountId }) => accountId)],
    );
  const stillUnread = async (id: string): Promise<string[]> =>
    (await rowsAbout(service, id)).filter(({ read_at }: Body) => read_at === null).map(({ event_type }: Body) => event_type);

  it("include leave requests after the decision, for every approver", async () => {
    const [one, other] = [await leave(), await leave("2030-03-07")];
    expect([await heard(boss), await heard(tenant.owner)]).to.deep.equal([
      ["leave.requested", "leave.requested"],
      ["leave.requested", "leave.requested"],
    ]);
    bodyOf(await boss.post(`/leave/requests/${one}/decide`, { approved: true }));
    expect([await unread(boss), await unread(tenant.owner)]).to.deep.equal([1, 1]);
    bodyOf(await boss.post(`/leave/requests/${other}/decide`, { approved: false }));
    expect([await unread(boss), await unread(tenant.owner)]).to.deep.equal([0, 0]);
    expect(await heard(anna, "&unread=true")).to.deep.equal(["leave.rejected", "leave.approved"]);
  });

  it("include leave requests that are withdrawn while pending", async () => {
    const id = await leave();
    expect(await unread(boss)).to.equal(1);
    bodyOf(await anna.post(`/leave/requests/${id}/cancel`, {}));
    expect([await unread(boss), await unread(tenant.owner)]).to.deep.equal([0, 0]);
  });

  it("include due dates of a finished task, visible or not; other rows stay", async () => {
    const assignees = [{ user_id: anna.accountId, is_primary: true }];
    const [id, other] = [
      bodyOf(await tenant.owner.post("/tasks", { title: "Done", assignees })).id,
      bodyOf(await tenant.owner.post("/tasks", { title: "Open", assignees })).id,
    ];
    for (const task of [id, other])
      for (const event of ["task.due_soon", "task.overdue"]) await reported(event, "task", task, anna, boss);
    bodyOf(await tenant.owner.patch(`/tasks/${id}`, { status: "in_progress" }));
    expect((await stillUnread(id)).filter((event) => /due/.test(event))).to.have.length(4);
    bodyOf(await tenant.owner.patch(`/tasks/${id}`, { status: "done" }));
    expect(await stillUnread(id)).to.have.members(["task.assigned", "task.status_changed"]);
    expect((await stillUnread(other)).filter((event) => /due/.test(event))).to.have.length(4);
  });

  it("include pending messages after their review, and after their deletion", async () => {
    const pending = async () => {
      const id = await recordsOf(service, tenant).message(anna);
      await reported("interactions.email_pending", "interaction", id, anna);
      await reported("interactions.mentioned", "interaction", id, anna);
      return id;
    };
    const [filed, refused, deleted, ...bulk] = [await pending(), await pending(), await pending(), await pending()];
    bodyOf(await anna.post(`/interactions/${filed}/approve`, {}));
    bodyOf(await anna.post(`/interactions/${refused}/reject`, {}));
    expect((await anna.delete(`/interactions/${deleted}`)).status).to.equal(204);
    expect(bodyOf(await anna.post("/bulk/interaction/delete", { ids: bulk })).succeeded).to.equal(1);
    for (const id of [filed, refused, deleted, ...bulk]) expect(await stillUnread(id)).to.deep.equal(["interactions.mentioned"]);
  });
});
