import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { eventsAbout } from "../../../support/answers.ts";
import type { Caller, Tenant } from "../../../support/service.ts";
import { type Body, bodyOf, expectRefusal, makeTask, sharedTaskService, type TaskService } from "../tasks/task-records.ts";

const PATH = "/tasks/schedules";
const AT_NINE = { day: "2026-03-27", start_time: "09:00", duration_minutes: 90 };

describe("planned blocks", () => {
  let service: TaskService;
  let tenant: Tenant;
  let task: string;
  before(async () => {
    service = await sharedTaskService("2026-03-20");
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    task = (await makeTask(tenant.owner, { title: "Letter", assignees: [] })).id;
  });
  after(() => service.stop());

  const post = (who: Caller, body: object = {}) => who.post(PATH, { task_id: task, ...AT_NINE, ...body });
  const plan = async (who: Caller, body: object = {}): Promise<Body> => bodyOf(await post(who, body));
  const listed = async (who: Caller, query: string): Promise<string[]> =>
    bodyOf(await who.get(`${PATH}?${query}`)).map(({ id }: Body) => id);
  /** The events about a block and its task, without those of the task itself. */
  const reported = async (block: string): Promise<[string, unknown][]> => {
    const about = [...(await eventsAbout(service, task)), ...(await eventsAbout(service, block))];
    return about
      .filter(({ event, payload }) => payload["schedule_id"] === block && /^(task\.scheduled|schedule\.)/.test(event))
      .map(({ event, payload }) => [event, event === "task.scheduled" ? payload["recipients"] : payload["user_id"]]);
  };

  describe("POST /tasks/schedules", () => {
    it("keeps no blank note", async () => {
      const { id, note } = await plan(tenant.owner, { note: " " });
      expect(note).to.equal(null);
      expect((await tenant.owner.patch(`${PATH}/${id}`, { note: "" })).headers.etag).to.equal('"1"');
    });

    it("stores instants of the organisation's clock and notifies the person and the mirror", async () => {
      const ana = await tenant.member("member", { name: "Ana" });
      const { status, body } = await post(tenant.owner, { user_id: ana.accountId, note: "At the office" });
      expect([status, body]).to.deep.equal([
        201,
        {
          id: body.id,
          task_id: task,
          user_id: ana.accountId,
          starts_at: "2026-03-27T08:00:00+00:00",
          ends_at: "2026-03-27T09:30:00+00:00",
          note: "At the office",
          time_entry_id: null,
          created_by_user_id: tenant.owner.accountId,
          created_by_name: body.created_by_name,
        },
      ]);
      const { payload } = (await eventsAbout(service, task)).find(({ event }) => event === "task.scheduled") as {
        payload: object;
      };
      expect(payload).to.deep.equal({
        task_id: task,
        title: "Letter",
        schedule_id: body.id,
        scheduled_date: "2026-03-27",
        recipients: [ana.accountId],
      });
      expect(await reported(body.id)).to.deep.equal([
        ["task.scheduled", [ana.accountId]],
        ["schedule.saved", ana.accountId],
      ]);
    });

    it("reports the day of the organisation, not of UTC", async () => {
      const { id } = await plan(tenant.owner, { start_time: "00:30" });
      const event = (await eventsAbout(service, task)).find(({ payload }) => payload["schedule_id"] === id);
      expect(event?.payload["scheduled_date"]).to.equal("2026-03-27");
    });

    it("is for the person named, else the task's starred one, else the caller", async () => {
      const [ana, ben] = [await tenant.member("member"), await tenant.member("member")];
      expect((await plan(tenant.owner)).user_id).to.equal(tenant.owner.accountId);
      bodyOf(await tenant.owner.patch(`/tasks/${task}`, { assignee_user_id: ana.accountId }));
      expect((await plan(tenant.owner)).user_id).to.equal(ana.accountId);
      expect((await plan(tenant.owner, { user_id: ben.accountId })).user_id).to.equal(ben.accountId);
      expect((await plan(ana)).user_id).to.equal(ana.accountId);
    });

    it("for another person needs `:any`, also when that is the starred one", async () => {
      const [ana, ben] = [await tenant.member("member"), await tenant.member("member")];
      expectRefusal(await post(ana, { user_id: ben.accountId }), 403, "forbidden");
      bodyOf(await tenant.owner.patch(`/tasks/${task}`, { assignee_user_id: ben.accountId }));
      expectRefusal(await post(ana), 403, "forbidden");
      expect((await post(ana, { user_id: ana.accountId })).status).to.equal(201);
    });

    it("refuses a non-member, and a caller without a person unless one is named", async () => {
      const foreign = (await service.tenant()).owner.accountId;
      expectRefusal(await post(tenant.owner, { user_id: foreign }), 400, "invalid_assignee");
      const robot = await tenant.serviceAccount(["tasks.task.read", "tasks.schedule.write:any"]);
      expectRefusal(await post(robot), 422, "validation", { user_id: "errors.required" });
      expect((await post(robot, { user_id: tenant.owner.accountId })).status).to.equal(201);
    });

    it("refuses an invalid length, time and day", async () => {
      for (const [field, value] of [
        ["duration_minutes", 0],
        ["duration_minutes", 1441],
        ["start_time", "24:00"],
        ["day", "2026-02-30"],
        ["day", "0001-01-01"],
        ["day", "9999-12-31"],
        ["note", "x".repeat(501)],
      ])
        expectRefusal(await post(tenant.owner, { [field as string]: value }), 422, "validation", {
          [field as string]: "errors.validation",
        });
      expect((await post(tenant.owner, { duration_minutes: 1440, note: "x".repeat(500) })).status).to.equal(201);
    });

    it("is 404 on a task that is not seen", async () => {
      expectRefusal(await post((await service.tenant()).owner), 404, "not_found");
      expectRefusal(await post(tenant.owner, { task_id: randomUUID() }), 404, "not_found");
      const company = (await tenant.company()).id;
      const hidden = (await makeTask(tenant.owner, { company_id: company })).id;
      const restricted = await tenant.member("admin");
      await tenant.group("Other", [(await tenant.company()).id], [restricted.membershipId]);
      expectRefusal(await post(restricted, { task_id: hidden }), 404, "not_found");
    });
  });

  describe("PATCH /tasks/schedules/{schedule_id}", () => {
    it("moving only the day keeps the time on the clock across its change, and the length", async () => {
      const { id } = await plan(tenant.owner);
      const { starts_at, ends_at } = bodyOf(await tenant.owner.patch(`${PATH}/${id}`, { day: "2026-03-30" }));
      expect([starts_at, ends_at]).to.deep.equal(["2026-03-30T07:00:00+00:00", "2026-03-30T08:30:00+00:00"]);
    });

    it("moves time and length each alone, and clears a note", async () => {
      const { id } = await plan(tenant.owner, { note: "Note" });
      const first = bodyOf(await tenant.owner.patch(`${PATH}/${id}`, { start_time: "10:15" }));
      expect([first.starts_at, first.ends_at]).to.deep.equal(["2026-03-27T09:15:00+00:00", "2026-03-27T10:45:00+00:00"]);
      const second = bodyOf(await tenant.owner.patch(`${PATH}/${id}`, { duration_minutes: 30, note: null }));
      expect([second.starts_at, second.ends_at, second.note]).to.deep.equal([
        "2026-03-27T09:15:00+00:00",
        "2026-03-27T09:45:00+00:00",
        null,
      ]);
    });

    it("notifies the new person only, of a move only the mirror, and nobody without a change", async () => {
      const ana = await tenant.member("member");
      const { id } = await plan(tenant.owner);
      bodyOf(await tenant.owner.patch(`${PATH}/${id}`, { day: "2026-03-28" }));
      const same = await tenant.owner.patch(`${PATH}/${id}`, { day: "2026-03-28", user_id: tenant.owner.accountId });
      expect(same.headers.etag).to.equal('"2"');
      bodyOf(await tenant.owner.patch(`${PATH}/${id}`, { user_id: ana.accountId }));
      const events = (await reported(id)).map(([event, who]) => `${event} ${who}`);
      const [me, other] = [tenant.owner.accountId, ana.accountId];
      expect(events.toSorted()).to.deep.equal(
        [
          `task.scheduled ${me}`,
          `schedule.saved ${me}`,
          `schedule.saved ${me}`,
          `task.scheduled ${other}`,
          `schedule.saved ${other}`,
        ].toSorted(),
      );
    });

    it("to another person needs `:any` for both", async () => {
      const [ana, ben] = [await tenant.member("member"), await tenant.member("member")];
      const { id } = await plan(ana);
      expectRefusal(await ana.patch(`${PATH}/${id}`, { user_id: ben.accountId }), 403, "forbidden");
      const reader = await tenant.member("member", { grants: ["tasks.schedule.read:any", "tasks.schedule.write:own"] });
      expectRefusal(await reader.patch(`${PATH}/${id}`, { user_id: reader.accountId }), 403, "forbidden");
      expectRefusal(await tenant.owner.patch(`${PATH}/${id}`, { user_id: randomUUID() }), 400, "invalid_assignee");
      expect(bodyOf(await tenant.owner.patch(`${PATH}/${id}`, { user_id: ben.accountId })).user_id).to.equal(ben.accountId);
    });

    it("refuses null for a block's required fields", async () => {
      const { id } = await plan(tenant.owner);
      const body = { day: null, start_time: null, duration_minutes: null, user_id: null };
      const fields = Object.fromEntries(Object.keys(body).map((name) => [name, "errors.validation"]));
      expectRefusal(await tenant.owner.patch(`${PATH}/${id}`, body), 422, "validation", fields);
    });
  });

  describe("another person's block", () => {
    it("is 404 without `:any`, for any request", async () => {
      const ana = await tenant.member("member");
      const { id } = await plan(tenant.owner);
      for (const call of [
        ana.get(`${PATH}/${id}`),
        ana.patch(`${PATH}/${id}`, { note: "X" }),
        ana.delete(`${PATH}/${id}`),
        ana.post(`${PATH}/${id}/log-time`, {}),
      ])
        expectRefusal(await call, 404, "not_found");
    });

    it("is 403 to one who may read it and not write it", async () => {
      const reader = await tenant.member("member", {
        grants: ["tasks.schedule.read:any", "tasks.schedule.write:own", "time.entry.write:any"],
      });
      const { id } = await plan(tenant.owner);
      expect((await reader.get(`${PATH}/${id}`)).status).to.equal(200);
      for (const call of [
        reader.patch(`${PATH}/${id}`, { note: "X" }),
        reader.delete(`${PATH}/${id}`),
        reader.post(`${PATH}/${id}/log-time`, {}),
      ])
        expectRefusal(await call, 403, "forbidden");
    });

    it("on a task outside the selection is 404, and in no list", async () => {
      const company = (await tenant.company()).id;
      const hidden = (await makeTask(tenant.owner, { company_id: company })).id;
      const admin = await tenant.member("admin");
      const { id } = await plan(tenant.owner, { task_id: hidden, user_id: admin.accountId });
      expect(await listed(admin, "date_from=2026-03-27&date_to=2026-03-27")).to.deep.equal([id]);
      await tenant.group("Other", [(await tenant.company()).id], [admin.membershipId]);
      expectRefusal(await admin.get(`${PATH}/${id}`), 404, "not_found");
      expectRefusal(await admin.patch(`${PATH}/${id}`, { note: "X" }), 404, "not_found");
      expect(await listed(admin, "date_from=2026-03-27&date_to=2026-03-27")).to.deep.equal([]);
      expect(await listed(admin, `task_id=${hidden}`)).to.deep.equal([]);
    });
  });

  describe("DELETE", () => {
    it("notifies the mirror before the block is deleted", async () => {
      const { id } = await plan(tenant.owner);
      expectRefusal(await tenant.owner.delete(`${PATH}/${id}`, { headers: { "If-Match": '"9"' } }), 412, "precondition_failed");
      expect((await tenant.owner.delete(`${PATH}/${id}`)).status).to.equal(204);
      expectRefusal(await tenant.owner.get(`${PATH}/${id}`), 404, "not_found");
      expect((await reported(id)).at(-1)).to.deep.equal(["schedule.gone", tenant.owner.accountId]);
    });

    it("of the task deletes its blocks, and reports each", async () => {
      const { id } = await plan(tenant.owner);
      expect((await tenant.owner.delete(`/tasks/${task}`)).status).to.equal(204);
      expectRefusal(await tenant.owner.get(`${PATH}/${id}`), 404, "not_found");
      expect((await reported(id)).at(-1)).to.deep.equal(["schedule.gone", tenant.owner.accountId]);
    });
  });

  describe("GET /tasks/schedules", () => {
    it("needs a task or both dates", async () => {
      const read = (query: string) => tenant.owner.get(`${PATH}?${query}`);
      expectRefusal(await read(""), 422, "required", { date_from: "errors.required", date_to: "errors.required" });
      expectRefusal(await read("date_from=2026-03-27"), 422, "required", { date_to: "errors.required" });
      expectRefusal(await read("date_to=2026-03-27"), 422, "required", { date_from: "errors.required" });
      expectRefusal(await read("date_from=0001-01-01&date_to=2026-03-27"), 422, "validation", { date_from: "errors.validation" });
    });

    it("shows a block with its person, its task and its local days", async () => {
      const company = (await tenant.company()).id;
      const ana = await tenant.member("member", { name: "Ana" });
      const about = (await makeTask(tenant.owner, { title: "Plan", company_id: company, allocated_minutes: 60 })).id;
      const { id } = await plan(tenant.owner, { task_id: about, user_id: ana.accountId });
      const [item] = bodyOf(await ana.get(`${PATH}?date_from=2026-03-27&date_to=2026-03-27`));
      expect(item).to.deep.equal({
        id,
        task_id: about,
        user_id: ana.accountId,
        starts_at: "2026-03-27T08:00:00+00:00",
        ends_at: "2026-03-27T09:30:00+00:00",
        note: null,
        time_entry_id: null,
        created_by_user_id: tenant.owner.accountId,
        created_by_name: item.created_by_name,
        start: "2026-03-27",
        end: "2026-03-27",
        user_name: "Ana",
        task_title: "Plan",
        project_id: null,
        company_id: company,
        status: "open",
        allocated_minutes: 60,
      });
    });

    it("takes what overlaps the inclusive local window, by start; one that ends at midnight belongs to the day before", async () => {
      const late = await plan(tenant.owner, { day: "2026-03-26", start_time: "23:00", duration_minutes: 120 });
      const midnight = await plan(tenant.owner, { day: "2026-03-26", start_time: "22:00", duration_minutes: 120 });
      const early = await plan(tenant.owner, { start_time: "00:00", duration_minutes: 30 });
      const whole = await plan(tenant.owner, { start_time: "09:00", duration_minutes: 1440 });
      const next = await plan(tenant.owner, { day: "2026-03-28", start_time: "00:00", duration_minutes: 30 });
      const on = (day: string) => listed(tenant.owner, `date_from=${day}&date_to=${day}`);
      expect(await on("2026-03-26")).to.deep.equal([midnight.id, late.id]);
      expect(await on("2026-03-27")).to.deep.equal([late.id, early.id, whole.id]);
      expect(await on("2026-03-28")).to.deep.equal([whole.id, next.id]);
      const days = bodyOf(await tenant.owner.get(`${PATH}?task_id=${task}`)).map(({ start, end }: Body) => [start, end]);
      expect(days).to.deep.equal([
        ["2026-03-26", "2026-03-26"],
        ["2026-03-26", "2026-03-27"],
        ["2026-03-27", "2026-03-27"],
        ["2026-03-27", "2026-03-28"],
        ["2026-03-28", "2026-03-28"],
      ]);
    });

    it("is one's own unless others are named; of a task everyone's with `:any`", async () => {
      const ana = await tenant.member("member");
      const mine = (await plan(tenant.owner)).id;
      const hers = (await plan(ana, { start_time: "11:00" })).id;
      const window = "date_from=2026-03-27&date_to=2026-03-27";
      expect(await listed(tenant.owner, window)).to.deep.equal([mine]);
      expect(await listed(tenant.owner, `${window}&user_ids=${ana.accountId}`)).to.deep.equal([hers]);
      const both = `user_ids=${ana.accountId}&user_ids=${tenant.owner.accountId}`;
      expect(await listed(tenant.owner, `${window}&${both}`)).to.deep.equal([mine, hers]);
      expect(await listed(tenant.owner, `task_id=${task}`)).to.deep.equal([mine, hers]);
      expect(await listed(tenant.owner, `task_id=${task}&user_ids=${ana.accountId}`)).to.deep.equal([hers]);
      expect(await listed(tenant.owner, `task_id=${task}&date_from=2026-03-28`)).to.deep.equal([]);
      expect(await listed(ana, `task_id=${task}`)).to.deep.equal([hers]);
      expect(await listed(ana, `${window}&user_ids=${ana.accountId.toUpperCase()}`)).to.deep.equal([hers]);
      expectRefusal(await ana.get(`${PATH}?${window}&${both}`), 403, "forbidden");
    });

    it("is empty for a service account that names no one, and for a task that is not there", async () => {
      await plan(tenant.owner);
      const robot = await tenant.serviceAccount(["tasks.schedule.read:any"]);
      expect(await listed(robot, "date_from=2026-03-27&date_to=2026-03-27")).to.deep.equal([]);
      expect(await listed(tenant.owner, `task_id=${randomUUID()}`)).to.deep.equal([]);
    });

    it("returns only rows written since an instant", async () => {
      const { id } = await plan(tenant.owner);
      const query = `task_id=${task}&updated_since=`;
      expect(await listed(tenant.owner, `${query}2000-01-01T00:00:00Z`)).to.deep.equal([id]);
      expect(await listed(tenant.owner, `${query}2999-01-01T00:00:00Z`)).to.deep.equal([]);
    });

    it("costs as many statements for many blocks of many people as for one", async () => {
      await plan(tenant.owner);
      const query = `${PATH}?task_id=${task}`;
      await tenant.owner.get(query);
      const few = await tenant.owner.get(query);
      for (let n = 0; n < 12; n++) await plan(tenant.owner, { user_id: (await tenant.member("member")).accountId });
      await tenant.owner.get(query);
      const many = await tenant.owner.get(query);
      expect([few.body.length, many.body.length, few.statements]).to.deep.equal([1, 13, many.statements]);
    });
  });
});
