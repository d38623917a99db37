import { expect } from "chai";
import type { Caller, Tenant } from "../../../support/service.ts";
import { type Body, bodyOf, expectRefusal, makeTask, sharedTaskService, type TaskService } from "../tasks/task-records.ts";

const PATH = "/tasks/schedules";

describe("POST /tasks/schedules/{schedule_id}/log-time", () => {
  let service: TaskService;
  let tenant: Tenant;
  let company: string;
  let task: string;
  let block: Body;
  before(async () => {
    service = await sharedTaskService("2026-03-20");
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    company = (await tenant.company()).id;
    task = (await makeTask(tenant.owner, { title: "Letter", company_id: company, assignees: [] })).id;
    block = await plan();
  });
  after(() => service.stop());

  const plan = async (): Promise<Body> =>
    bodyOf(await tenant.owner.post(PATH, { task_id: task, day: "2026-03-19", start_time: "10:00", duration_minutes: 90 }));
  const log = (body: object = {}, who: Caller = tenant.owner, headers = {}) =>
    who.post(`${PATH}/${block.id}/log-time`, body, { headers });
  const entries = async (): Promise<number> =>
    (await service.sql.query("select count(*)::int as n from time_entries where task_id = $1", [task])).rows[0].n;

  it("writes the hours of the block on its task, once, and names the entry", async () => {
    const { status, body } = await log();
    expect([status, body.id, typeof body.time_entry_id]).to.deep.equal([200, block.id, "string"]);
    const { rows } = await service.sql.query(
      `select user_id, task_id, company_id, minutes, break_minutes, billable, description, started_at = $2 as starts, ended_at = $3 as ends
         from time_entries where id = $1`,
      [body.time_entry_id, block.starts_at, block.ends_at],
    );
    expect(rows).to.deep.equal([
      {
        user_id: tenant.owner.accountId,
        task_id: task,
        company_id: company,
        minutes: 90,
        break_minutes: 0,
        billable: true,
        description: "Letter",
        starts: true,
        ends: true,
      },
    ]);
    expectRefusal(await log(), 409, "schedule_already_logged");
    expect(await entries()).to.equal(1);
  });

  it("describes the entry by the task's title where the description has no text", async () => {
    for (const description of [" ", "<b></b>", "<p> </p>\n<!-- none -->"]) {
      await service.sql.query("delete from time_entries where task_id = $1", [task]);
      block = await plan();
      const { time_entry_id: id } = bodyOf(await log({ description }));
      expect(bodyOf(await tenant.owner.get(`/time/entries/${id}`)).description, description).to.equal("Letter");
    }
  });

  it("takes a break off, or takes the minutes that are sent", async () => {
    const minutesOf = async (body: object) => {
      const { time_entry_id: id } = bodyOf(await log(body));
      const { rows } = await service.sql.query(
        "select minutes, extract(epoch from ended_at - started_at) / 60 as span, billable, description from time_entries where id = $1",
        [id],
      );
      block = await plan();
      return [rows[0].minutes, Number(rows[0].span), rows[0].billable, rows[0].description];
    };
    expect(await minutesOf({ break_minutes: 15, billable: false, description: "  " })).to.deep.equal([75, 90, false, "Letter"]);
    expect(await minutesOf({ minutes: 20, break_minutes: 5, description: "Half" })).to.deep.equal([20, 25, true, "Half"]);
  });

  it("opens the block again when the entry is deleted", async () => {
    const { time_entry_id: id } = bodyOf(await log());
    expect((await tenant.owner.delete(`/time/entries/${id}`)).status).to.equal(204);
    const open = await tenant.owner.get(`${PATH}/${block.id}`);
    expect([open.body.time_entry_id, open.headers.etag]).to.deep.equal([null, '"3"']);
    expect((await log()).status).to.equal(200);
  });

  it("writes one entry when asked twice at one moment", async () => {
    const answers = await Promise.all([log(), log(), log()]);
    expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([200, 409, 409]);
    expect(await entries()).to.equal(1);
  });

  it("is the person's own, needs the permission to write hours and a licence, and refuses an invalid type", async () => {
    const planner = await tenant.member("member", { grants: ["tasks.task.read", "tasks.schedule.read:any"] });
    expectRefusal(await log({}, planner), 403, "forbidden");
    expectRefusal(await log({}, await tenant.member("admin")), 403, "forbidden");
    expectRefusal(await log({}, await tenant.member("member")), 404, "not_found");
    expectRefusal(await log({ entry_type_key: "nonsense" }), 422, "validation", {
      entry_type_key: "errors.time_entry_type_unknown",
    });
    expectRefusal(await log({}, tenant.owner, { "If-Match": '"9"' }), 412, "precondition_failed");
    await service.sql.query("update product_licences set expires_at = '2020-01-01' where module = 'time'");
    try {
      expectRefusal(await log(), 402, "license_expired");
    } finally {
      await service.sql.query("update product_licences set expires_at = '2200-01-01' where module = 'time'");
    }
    expect(await entries()).to.equal(0);
  });
});
