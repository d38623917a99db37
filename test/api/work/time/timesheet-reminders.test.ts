import { expect } from "chai";
import { addDays, type IsoDate, midnight } from "../../../../core/calendar/calendar.ts";
import type { DomainEvent } from "../../../../core/declare/events.ts";
import { systemRequest } from "../../../../core/request/system.ts";
import { jobsOf } from "../../../../mixins/jobs.ts";
import { service as actor } from "../../../../mixins/resource.ts";
import { inTenancy } from "../../../../mixins/tenancy.ts";
import { remind } from "../../../../services/work/time/reminders/reminded-people.ts";
import { remindedWeek } from "../../../../services/work/time/timesheet-reminder.ts";
import { fire, settled } from "../../../support/jobs.ts";
import { type Caller, startService, type Tenant, type TestService } from "../../../support/service.ts";
import { Hours, ok } from "./hours.ts";

const JOB = "time.remind-timesheets";
const ZONE = "Europe/Amsterdam";

const reported: DomainEvent<"time.timesheet_reminder">[] = [];
const listener = actor("time.listener", {
  actions: {},
  subscribe: {
    "time.timesheet_reminder": async (event) => {
      reported.push(event);
    },
  },
});

describe("the reminder of an empty timesheet", () => {
  let service: TestService;
  let tenant: Tenant;
  let hours: Hours;
  /** The Monday of the week before this one where the organisations are. */
  let week: IsoDate;
  before(async () => {
    service = await startService({}, [listener]);
    await jobsOf(service.node.broker).ready();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    hours = new Hours(service, tenant);
    week = remindedWeek(new Intl.DateTimeFormat("sv", { timeZone: ZONE }).format(new Date()));
  });
  after(() => service.stop());

  /** Lets the moment come. */
  async function monday(): Promise<void> {
    await settled(service);
    await fire(service, JOB);
  }
  const noticeFor = (...people: Caller[]) =>
    people.map(({ accountId: id }) =>
      reported.filter(({ entityId }) => entityId === id).map(({ payload }) => payload.week_start),
    );

  it("comes on Mondays at 07:00", async () => {
    const { rows } = await service.sql.query("select repeat_interval from jobs.agenda_jobs where name = $1", [JOB]);
    expect(rows).to.deep.equal([{ repeat_interval: "0 7 * * 1" }]);
  });

  it("goes to members who may write time and finished nothing last week where the organisation is", async () => {
    const people: Caller[] = [];
    for (let n = 0; n < 6; n++) people.push(await tenant.member("member"));
    const [idle, first, before, last, after, timed] = people as [Caller, Caller, Caller, Caller, Caller, Caller];
    const reader = await tenant.member("member", { grants: ["time.entry.read:any"] });
    const gone = await tenant.member("member");
    await service.sql.query("update memberships set deactivated_at = now() where id = $1", [gone.membershipId]);
    const [start, end] = [midnight(week, ZONE), midnight(addDays(week, 7), ZONE)].map((at) => Date.parse(at)) as [number, number];
    const log = (who: Caller, at: number) => hours.log(who, { started_at: new Date(at).toISOString() });
    await log(first, start);
    await log(before, start - 60_000);
    await log(last, end - 60_000);
    await log(after, end);
    const timer = await ok(timed.post("/time/timer/start", {}));
    await ok(timed.patch(`/time/entries/${timer.id}`, { started_at: new Date(start).toISOString() }));
    await monday();
    expect(noticeFor(tenant.owner, idle, before, after, timed)).to.deep.equal(Array(5).fill([week]));
    expect(noticeFor(first, last, reader, gone)).to.deep.equal([[], [], [], []]);
    expect(reported.find(({ entityId }) => entityId === idle.accountId)).to.deep.include({
      entityType: "timesheet",
      payload: { user_id: idle.accountId, week_start: week, recipients: [idle.accountId] },
    });
  });

  it("comes once per person and week, however often the job runs", async () => {
    const member = await tenant.member("member");
    await monday();
    await monday();
    const late = await tenant.member("member");
    await monday();
    expect(noticeFor(member, late)).to.deep.equal([[week], [week]]);
    await service.sql.query("update timesheet_reminders set week_start = week_start - 7 where account_id = $1", [
      member.accountId,
    ]);
    await monday();
    expect(noticeFor(member, late)).to.deep.equal([[week, week], [week]]);
  });

  it("comes once when two nodes run the job at the same moment", async () => {
    const member = await tenant.member("member");
    const run = () =>
      inTenancy(
        () => systemRequest(JOB, tenant.organisation, "write"),
        () => remind([member.accountId], week),
      );
    await Promise.all([run(), run(), run()]);
    await settled(service);
    expect(noticeFor(member)).to.deep.equal([[week]]);
  });

  it("spares who was away: approved leave and holidays over every scheduled minute", async () => {
    const [away, half, waiting] = [await tenant.member("member"), await tenant.member("member"), await tenant.member("member")];
    const types: { id: string; key: string }[] = await ok(tenant.owner.get("/leave/types"));
    const leave_type_id = types.find(({ key }) => key === "special")?.id;
    const day = (index: number) => addDays(week, index);
    const ask = (who: Caller, from: number, to: number) => {
      const span = { start_date: day(from), end_date: day(to) };
      return ok(tenant.owner.post("/leave/requests", { user_id: who.accountId, leave_type_id, ...span }));
    };
    const approved = async (who: Caller, from: number, to: number) => {
      const { id } = await ask(who, from, to);
      await ok(tenant.owner.post(`/leave/requests/${id}/decide`, { approved: true }));
    };
    // A holiday in the middle of the week, unless there is one already, and no other: the week is the last one.
    await tenant.owner.post("/leave/holidays", { date: day(1), name_i18n: { nl: "Vrij" } });
    const place = [tenant.organisation.id, day(1)];
    await service.sql.query("update leave_holidays set active = (date = $2) where organisation_id = $1", place);
    await approved(away, 0, 0);
    await approved(away, 2, 4);
    await approved(half, 0, 3);
    await ask(waiting, 0, 4);
    await monday();
    expect(noticeFor(away, half, waiting)).to.deep.equal([[], [week], [week]]);
  });

  it("skips suspended organisations and continues with the others", async () => {
    await service.sql.query("update organisations set status = 'suspended' where id = $1", [tenant.organisation.id]);
    const other = await service.tenant();
    await monday();
    expect(noticeFor(tenant.owner, other.owner)).to.deep.equal([[], [week]]);
  });
});
