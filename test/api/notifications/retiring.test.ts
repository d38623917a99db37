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

  it("include due dates of a task that is postponed or deleted, and their messages that are still to be sent", async () => {
    const open = async () => {
      const { id } = bodyOf(await tenant.owner.post("/tasks", { title: "Due", due_date: "2030-01-02" }));
      for (const event of ["task.due_soon", "task.overdue", "task.commented"]) await reported(event, "task", id, anna);
      await service.sql.query(
        `insert into notification_deliveries (organisation_id, way, account_id, notification_id, event_id, due_at)
         select n.organisation_id, 'email', n.account_id, n.id, n.event_id, now() + interval '1 day'
           from notifications n where n.entity_id = $1`,
        [id],
      );
      return id;
    };
    const pending = async (id: string) =>
      (
        await service.sql.query(
          `select v.event_type from notification_deliveries s join notification_events v on v.id = s.event_id
            where v.entity_id = $1 and s.status = 'pending'`,
          [id],
        )
      ).rows.map(({ event_type }) => event_type);
    const patched = (body: object) => async (id: string) => bodyOf(await tenant.owner.patch(`/tasks/${id}`, body));
    const acts: ((id: string) => Promise<unknown>)[] = [
      patched({ due_date: "2030-01-03", due_change_reason: "later" }),
      patched({ due_date: null }),
      patched({ status: "done" }),
      (id) => tenant.owner.delete(`/tasks/${id}`),
    ];
    for (const act of acts) {
      const id = await open();
      await patched({ title: "Still due", due_date: "2030-01-01" })(id);
      expect([await stillUnread(id), await pending(id)].map((events) => events.length)).to.deep.equal([3, 3]);
      await act(id);
      const left = ["task.commented"];
      expect([(await stillUnread(id)).filter((event) => event !== "task.status_changed"), await pending(id)]).to.deep.equal([
        left,
        left,
      ]);
    }
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
