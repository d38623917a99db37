import { expect } from "chai";
import {
  eventsAbout,
  type LeaveService,
  type LeaveTenant,
  refused,
  setContract,
  sharedLeaveService,
  unfit,
} from "../../support/leave.ts";
import type { Caller } from "../../support/service.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";
const FORBIDDEN = [403, "forbidden", "errors.forbidden"];
const NOT_FOUND = [404, "not_found", "errors.not_found"];
const SEPTEMBER = "date_from=2030-09-01&date_to=2030-09-30";

describe("availability", () => {
  let service: LeaveService;
  let tenant: LeaveTenant;
  before(async () => {
    service = await sharedLeaveService("2028-06-01");
  });
  beforeEach(async () => {
    tenant = await service.leaveTenant();
  });
  after(() => service.stop());

  const write = (body: object, who: Caller = tenant.employee) =>
    who.post("/leave/availability", { kind: "unavailable", date: "2030-09-09", ...body });
  const written = async (body: object = {}, who?: Caller) => {
    const answer = await write(body, who);
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.body;
  };
  const move = (body: object, who: Caller = tenant.employee) =>
    who.post("/leave/availability/move", { from_date: "2030-09-09", to_date: "2030-09-14", ...body });
  const rows = async (query = SEPTEMBER, who: Caller = tenant.employee) => (await who.get(`/leave/availability?${query}`)).body;
  const days = async (query = SEPTEMBER, who: Caller = tenant.employee) =>
    (await who.get(`/leave/availability/days?${query}`)).body;
  const dayOf = async (date: string) => (await days(`date_from=${date}&date_to=${date}`))[0];

  describe("POST /leave/availability", () => {
    it("answers with every field, seconds dropped, blank notes null; and emits an event", async () => {
      const { status, body } = await write({ start_time: "13:00:59", repeat_weeks: 2, repeat_until: "2030-12-31", note: " " });
      expect(status).to.equal(201);
      expect(body).to.deep.equal({
        id: body.id,
        org_id: tenant.organisation.id,
        user_id: tenant.employee.accountId,
        user_name: "Anna de Vries",
        kind: "unavailable",
        date: "2030-09-09",
        start_time: "13:00",
        end_time: null,
        repeat_weeks: 2,
        repeat_until: "2030-12-31",
        pair_id: null,
        note: null,
        created_at: body.created_at,
        updated_at: body.created_at,
      });
      const { id, user_id, kind, date, start_time, end_time, repeat_weeks, repeat_until, pair_id } = body;
      expect(await eventsAbout(service, id)).to.deep.equal([
        {
          event: "availability.saved",
          payload: { availability_id: id, user_id, kind, date, start_time, end_time, repeat_weeks, repeat_until, pair_id },
        },
      ]);
    });

    it("is for oneself; for another it needs write :any, and a member", async () => {
      const user_id = tenant.owner.accountId;
      expect(refused(await write({ user_id }))).to.deep.equal(FORBIDDEN);
      expect((await write({ user_id: tenant.employee.accountId }, tenant.owner)).status).to.equal(201);
      const elsewhere = await service.tenant();
      for (const id of [UNKNOWN, elsewhere.owner.accountId])
        expect(refused(await write({ user_id: id }, tenant.owner))).to.deep.equal(NOT_FOUND);
      const robot = await tenant.serviceAccount(["leave.availability.write:any"]);
      expect(refused(await write({}, robot))).to.deep.equal(unfit({ user_id: "errors.required" }));
    });

    const wrong: [what: string, body: object, fields: Record<string, string>][] = [
      [
        "a window that does not open",
        { start_time: "13:00", end_time: "13:00" },
        { end_time: "errors.leave_availability_window_invalid" },
      ],
      [
        "a bound on a repeat that is none",
        { repeat_until: "2030-10-01" },
        { repeat_until: "errors.leave_availability_repeat_required" },
      ],
      [
        "a repeat that ends before it begins",
        { repeat_weeks: 1, repeat_until: "2030-09-08" },
        { repeat_until: "errors.leave_availability_until_invalid" },
      ],
      ["a repeat of nine weeks", { repeat_weeks: 9 }, { repeat_weeks: "errors.validation" }],
      ["another kind", { kind: "maybe" }, { kind: "errors.validation" }],
    ];
    for (const [what, body, fields] of wrong)
      it(`refuses ${what}`, async () => {
        expect(refused(await write(body))).to.deep.equal(unfit(fields));
      });
  });

  describe("POST /leave/availability/move", () => {
    it("writes two rows in one act: the day given up, and the other with the times; both with the repeat and one pair", async () => {
      const { status, body } = await move({ start_time: "09:00", end_time: "12:00", repeat_weeks: 4, note: "ruil" });
      expect(status).to.equal(201);
      const [off, on] = body;
      expect(off).to.deep.include({ kind: "unavailable", date: "2030-09-09", start_time: null, end_time: null, repeat_weeks: 4 });
      expect(on).to.deep.include({ kind: "extra", date: "2030-09-14", start_time: "09:00", end_time: "12:00", repeat_weeks: 4 });
      expect([off.pair_id, on.pair_id, off.note, on.note]).to.deep.equal([on.pair_id, off.pair_id, "ruil", "ruil"]);
      for (const { id } of body) expect(await eventsAbout(service, id)).to.have.length(1);
    });

    it("refuses one day for itself, and a repeat that does not reach the later day", async () => {
      expect(refused(await move({ to_date: "2030-09-09" }))).to.deep.equal(
        unfit({ to_date: "errors.leave_availability_move_same_day" }),
      );
      expect(refused(await move({ repeat_weeks: 1, repeat_until: "2030-09-13" }))).to.deep.equal(
        unfit({ repeat_until: "errors.leave_availability_until_invalid" }),
      );
      expect(await rows()).to.deep.equal([]);
    });

    it("is for oneself; for another it needs write :any", async () => {
      expect(refused(await move({ user_id: tenant.owner.accountId }))).to.deep.equal(FORBIDDEN);
      expect((await move({ user_id: tenant.employee.accountId }, tenant.owner)).status).to.equal(201);
    });
  });

  describe("DELETE /leave/availability/{entry_id}", () => {
    it("of either half of a move deletes both, each with an event before", async () => {
      for (const half of [0, 1]) {
        const { body } = await move({});
        expect((await tenant.employee.delete(`/leave/availability/${body[half].id}`)).status).to.equal(204);
        expect(await rows()).to.deep.equal([]);
        for (const { id } of body)
          expect((await eventsAbout(service, id)).map(({ event }) => event)).to.deep.equal([
            "availability.saved",
            "availability.gone",
          ]);
      }
    });

    it("of a row outside a move leaves the others", async () => {
      const [one, other] = [await written(), await written({ date: "2030-09-10" })];
      await tenant.employee.delete(`/leave/availability/${one.id}`);
      expect((await rows()).map(({ id }: { id: string }) => id)).to.deep.equal([other.id]);
    });
  });

  describe("PATCH /leave/availability/{entry_id}", () => {
    const patch = (id: string, body: object, who: Caller = tenant.employee) => who.patch(`/leave/availability/${id}`, body);

    it("re-checks the row as it will be: a cadence cleared without its bound is refused", async () => {
      const { id } = await written({ start_time: "09:00", end_time: "12:00", repeat_weeks: 2, repeat_until: "2030-12-31" });
      expect(refused(await patch(id, { repeat_weeks: null }))).to.deep.equal(
        unfit({ repeat_until: "errors.leave_availability_repeat_required" }),
      );
      expect(refused(await patch(id, { start_time: "12:00" }))).to.deep.equal(
        unfit({ end_time: "errors.leave_availability_window_invalid" }),
      );
      expect(refused(await patch(id, { date: "2031-01-01" }))).to.deep.equal(
        unfit({ repeat_until: "errors.leave_availability_until_invalid" }),
      );
      const { body } = await patch(id, { start_time: null, end_time: null, repeat_weeks: null, repeat_until: null, note: null });
      expect(body).to.include({ start_time: null, end_time: null, repeat_weeks: null, repeat_until: null });
      expect(await eventsAbout(service, id)).to.have.length(2);
    });

    it("refuses null on kind and date, and leaves no trace when nothing changes", async () => {
      const { id } = await written({ note: "x" });
      for (const field of ["kind", "date"])
        expect(refused(await patch(id, { [field]: null }))).to.deep.equal(unfit({ [field]: "errors.validation" }));
      const { headers } = await patch(id, { note: "x", kind: "unavailable" });
      expect([headers.etag, (await eventsAbout(service, id)).length]).to.deep.equal(['"1"', 1]);
    });

    it("answers 404 to another's row, 403 to one that may be read but not written", async () => {
      const { id } = await written();
      const other = await tenant.member("member");
      expect(refused(await patch(id, {}, other))).to.deep.equal(NOT_FOUND);
      expect(refused(await other.delete(`/leave/availability/${id}`))).to.deep.equal(NOT_FOUND);
      const reader = await tenant.member("member", { grants: ["leave.availability.read:any", "leave.availability.write:own"] });
      expect(refused(await patch(id, {}, reader))).to.deep.equal(FORBIDDEN);
      expect((await patch(id, { kind: "extra" }, tenant.owner)).body.kind).to.equal("extra");
    });
  });

  describe("GET /leave/availability", () => {
    it("lists rows with an occurrence in the window, repeats by their rule", async () => {
      const fortnightly = await written({ date: "2030-08-26", repeat_weeks: 2 });
      await written({ date: "2030-08-05", repeat_weeks: 8, repeat_until: "2030-09-29" });
      await written({ date: "2030-08-31" });
      const last = await written({ date: "2030-09-30" });
      expect((await rows()).map(({ id }: { id: string }) => id)).to.deep.equal([fortnightly.id, last.id]);
    });

    it("lists one's own; another's or everyone's needs read :any; a window has at most 400 days", async () => {
      const own = await written();
      const theirs = await written({}, tenant.owner);
      for (const query of ["all_users=true", `user_id=${tenant.owner.accountId}`])
        expect(refused(await tenant.employee.get(`/leave/availability?${SEPTEMBER}&${query}`))).to.deep.equal(FORBIDDEN);
      const idsOf = async (query: string) =>
        (await rows(`${SEPTEMBER}${query}`, tenant.owner)).map(({ id }: { id: string }) => id).sort();
      expect(await idsOf("")).to.deep.equal([theirs.id]);
      expect(await idsOf("&all_users=true")).to.deep.equal([own.id, theirs.id].sort());
      expect(await idsOf(`&user_id=${tenant.employee.accountId}`)).to.deep.equal([own.id]);
      expect((await tenant.employee.get("/leave/availability?date_from=2030-01-01&date_to=2031-02-04")).status).to.equal(200);
      for (const [query, key] of [
        ["date_from=2030-01-01&date_to=2031-02-05", "errors.validation"],
        ["date_from=2030-01-02&date_to=2030-01-01", "errors.leave_end_before_start"],
      ])
        for (const path of ["availability", "availability/days"])
          expect(refused(await tenant.employee.get(`/leave/${path}?${query}`))).to.deep.equal(unfit({ date_to: key as string }));
    });
  });

  describe("GET /leave/availability/days", () => {
    it("example 21: each day with every exception applied", async () => {
      const noon = await written({ start_time: "13:00", repeat_weeks: 2 });
      await written({ kind: "extra", date: "2030-09-10", start_time: "07:00", end_time: "19:00" });
      await written({ kind: "extra", date: "2030-09-14" });
      const both = [await written({ kind: "extra", date: "2030-09-15" }), await written({ date: "2030-09-15" })];
      await written({ kind: "extra", date: "2030-09-21", start_time: "10:00" });
      expect(await dayOf("2030-09-09")).to.deep.equal({
        user_id: tenant.employee.accountId,
        user_name: "Anna de Vries",
        date: "2030-09-09",
        hours: "4.00",
        base_hours: "8.00",
        windows: [{ start: "08:30", end: "12:30" }],
        change: "changed",
        deviates: true,
        entry_ids: [noon.id],
        starts_at: "2030-09-09T08:30:00+02:00",
        ends_at: "2030-09-09T12:30:00+02:00",
      });
      expect(await dayOf("2030-09-16")).to.include({ hours: "8.00", change: null, deviates: false });
      expect(await dayOf("2030-09-23")).to.include({ hours: "4.00", change: "changed" });
      expect(await dayOf("2030-09-10")).to.include({ hours: "11.50", change: "changed" });
      expect(await dayOf("2030-09-14")).to.include({ hours: "8.00", base_hours: "0.00", change: "added" });
      const sunday = await dayOf("2030-09-15");
      expect(sunday).to.include({ hours: "0.00", change: null, deviates: true, starts_at: null, ends_at: null });
      expect(sunday.entry_ids.sort()).to.deep.equal(both.map(({ id }) => id).sort());
      const open = await dayOf("2030-09-21");
      expect([open.hours, open.windows]).to.deep.equal(["14.00", [{ start: "10:00", end: "23:59" }]]);
    });

    it("answers a named person's days also without rows, and by that person's week", async () => {
      const week = {
        mon: { start: "08:00", end: "12:00", breaks: [] },
        tue: null,
        wed: null,
        thu: null,
        fri: null,
        sat: null,
        sun: null,
      };
      await setContract(service, tenant, {
        user_id: tenant.employee.accountId,
        start_date: "2030-09-10",
        hours: 4,
        schedule: week,
      });
      const found = await days("date_from=2030-09-09&date_to=2030-09-17");
      expect(found.map(({ hours }: { hours: string }) => hours)).to.deep.equal([
        "8.00",
        "0.00",
        "0.00",
        "0.00",
        "0.00",
        "0.00",
        "0.00",
        "4.00",
        "0.00",
      ]);
      expect(await days(SEPTEMBER, tenant.owner)).to.have.length(30);
    });

    it("never ends before it starts where the clock skips the hour of a window", async () => {
      const instants = async (date: string, start_time: string, end_time: string) => {
        await written({ kind: "extra", date, start_time, end_time });
        const [day] = await days(`date_from=${date}&date_to=${date}`);
        return [day.hours, day.starts_at, day.ends_at];
      };
      const skipped = "2030-03-31T03:30:00+02:00";
      expect(await instants("2030-03-31", "02:30", "03:00")).to.deep.equal(["0.50", skipped, skipped]);
      expect(await instants("2030-10-27", "01:00", "04:00")).to.deep.equal([
        "3.00",
        "2030-10-27T01:00:00+02:00",
        "2030-10-27T04:00:00+01:00",
      ]);
    });

    it("shows everyone with a row in the window to every holder, and one person by name only with :any", async () => {
      await written({}, tenant.owner);
      await written({ date: "2030-11-01" });
      const found = await days(`${SEPTEMBER}&all_users=true`);
      expect([...new Set(found.map(({ user_id }: { user_id: string }) => user_id))]).to.deep.equal([tenant.owner.accountId]);
      expect(found).to.have.length(30);
      expect(
        refused(await tenant.employee.get(`/leave/availability/days?${SEPTEMBER}&user_id=${tenant.owner.accountId}`)),
      ).to.deep.equal(FORBIDDEN);
      const robot = await tenant.serviceAccount(["leave.availability.read:own"]);
      expect(await days(SEPTEMBER, robot)).to.deep.equal([]);
    });

    it("is not bent by holidays or leave, and bends no price", async () => {
      await tenant.employee.post("/leave/requests", {
        leave_type_id: tenant.types["sick"],
        start_date: "2029-04-26",
        end_date: "2029-04-26",
      });
      expect((await dayOf("2029-04-26")).hours).to.equal("8.00");
      expect((await dayOf("2029-04-27")).hours, "a holiday").to.equal("8.00");
      await written({ date: "2029-05-02" });
      const { body } = await tenant.employee.post("/leave/requests/preview", {
        start_date: "2029-05-02",
        end_date: "2029-05-02",
      });
      expect(body.hours).to.equal("8.00");
    });

    it("costs as many statements for many people as for one", async () => {
      const counted = async () => {
        await days();
        const { body, statements } = await tenant.employee.get(`/leave/availability/days?${SEPTEMBER}&all_users=true`);
        return [statements, body.length / 30];
      };
      await written();
      const [few, one] = await counted();
      for (let n = 0; n < 9; n++) await written({}, await tenant.member("member"));
      expect([one, await counted()]).to.deep.equal([1, [few, 10]]);
    });
  });
});
