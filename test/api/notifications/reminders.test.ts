import { expect } from "chai";
import { addDays } from "../../../core/calendar/calendar.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import { fire, holdSchedules, settled } from "../../support/jobs.ts";
import { type Caller, startService, type Tenant, type TestService } from "../../support/service.ts";
import { todayWithRoom } from "../../support/today.ts";
import { type Body, bodyOf, prefer, rowsAbout, watch } from "./inbox-records.ts";

describe("reminders of due dates (platform chapter §5.2)", () => {
  let service: TestService;
  let tenant: Tenant;
  let anna: Caller;
  let ben: Caller;
  let today: string;
  before(async () => {
    service = await startService();
    await holdSchedules(service, "tasks.%");
  });
  beforeEach(async () => {
    today = await todayWithRoom();
    tenant = await service.tenant();
    [anna, ben] = [await tenant.member("member", { name: "Anna" }), await tenant.member("member", { name: "Ben" })];
  });
  after(() => service.stop());

  const run = async () => {
    await settled(service);
    await fire(service, "tasks.remind");
  };
  const task = async (who: Caller, days: number): Promise<string> =>
    bodyOf(
      await tenant.owner.post("/tasks", {
        title: `In ${days}`,
        due_date: addDays(today, days),
        assignees: [{ user_id: who.accountId, is_primary: true }],
      }),
    ).id;
  const reportedOf = async (id: string): Promise<[string, number | undefined][]> =>
    (await rowsAbout(service, id))
      .filter(({ event_type }: Body) => /due/.test(event_type))
      .map(({ account_id, payload }: Body) => [account_id === anna.accountId ? "anna" : "ben", payload.days_left]);

  it("reach a person on the day of the effective threshold: three days, the organisation's, the person's", async () => {
    const built = await task(anna, 3);
    await run();
    expect(await reportedOf(built)).to.deep.equal([["anna", 3]]);
    await prefer(tenant.owner, { general: { due_soon_days: 5 } }, "/defaults");
    await prefer(ben, { general: { due_soon_days: 1 } });
    const [three, five, one, fiveOfBen] = [await task(anna, 3), await task(anna, 5), await task(ben, 1), await task(ben, 5)];
    await run();
    expect([await reportedOf(three), await reportedOf(five), await reportedOf(one), await reportedOf(fiveOfBen)]).to.deep.equal([
      [],
      [["anna", 5]],
      [["ben", 1]],
      [],
    ]);
    await prefer(ben, { general: { quiet_hours_start: "22:00", quiet_hours_end: "06:00" } });
    const whole = await task(ben, 3);
    await run();
    expect(await reportedOf(whole), "the person's own row without a number means three").to.deep.equal([["ben", 3]]);
  });

  it("reach followers only on their own day", async () => {
    await prefer(ben, { general: { due_soon_days: 2 } });
    const [three, two] = [await task(anna, 3), await task(anna, 2)];
    for (const id of [three, two]) await watch(ben, "task", id);
    await run();
    expect([await reportedOf(three), await reportedOf(two)]).to.deep.equal([[["anna", 3]], []]);
  });

  it("are sent once, and store nothing without an audience", async () => {
    await prefer(anna, { events: [{ event_type: "task.overdue", enabled: false }] });
    const [late, later] = [await task(anna, -1), await task(ben, -1)];
    await run();
    await run();
    expect([await reportedOf(late), await reportedOf(later)]).to.deep.equal([[], [["ben", undefined]]]);
    const feed = async (id: string) =>
      bodyOf(await ben.get(`/notifications/activity?entity_type=task&entity_id=${id}`)).map(({ event_type }: Body) => event_type);
    expect([await feed(late), await feed(later)]).to.deep.equal([["task.assigned"], ["task.overdue", "task.assigned"]]);
  });

  it("about an unassigned task store nothing without followers, and reach its followers", async () => {
    const made = { title: "Nobody's", due_date: addDays(today, -1), assignees: [] };
    const [alone, followed] = [
      bodyOf(await tenant.owner.post("/tasks", made)).id,
      bodyOf(await tenant.owner.post("/tasks", made)).id,
    ];
    await watch(ben, "task", followed);
    for (const id of [alone, followed])
      await inTenancy(
        () => systemRequest("test", tenant.organisation, "write"),
        async () => emit("task.overdue", "task", id, { task_id: id, title: made.title, due_date: made.due_date, recipients: [] }),
      );
    expect([await reportedOf(alone), await reportedOf(followed)]).to.deep.equal([[], [["ben", undefined]]]);
    const { rows } = await service.sql.query("select entity_id from notification_events where entity_id = any($1)", [
      [alone, followed],
    ]);
    expect(rows).to.deep.equal([{ entity_id: followed }]);
  });
});
