import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { invalidOn, refusalOf } from "../clients/companies/company-records.ts";
import { clock, Leave, lapse, licensed, ok } from "./leave-people.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";

describe("leave balances", () => {
  let service: TestService;
  let tenant: Tenant;
  let leave: Leave;
  let member: Caller;
  const now = clock();
  before(async () => {
    service = await sharedService("clock");
    await licensed(service);
  });
  beforeEach(async () => {
    now.set("2030-02-04");
    tenant = await service.tenant();
    leave = new Leave(service, tenant);
    member = await tenant.member("member");
  });
  afterEach(now.restore);
  after(() => service.stop());

  const ZERO = { entitled_hours: "0.00" };
  const READS = ["/leave/balance?year=2030", "/leave/balance/groups?year=2030", "/leave/free-time?year=2030"];
  const stored = async (): Promise<number> =>
    (await service.sql.query("select 1 from leave_entitlements where organisation_id = $1", [tenant.organisation.id])).rows
      .length;

  describe("pots derived on a read", () => {
    for (const path of READS)
      it(`are stored by GET ${path.split("?")[0]} of one's own for this year and the next, once under parallel reads`, async () => {
        const answers = await Promise.all([1, 2, 3, 4].map(() => member.get(path)));
        expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).to.equal(1);
        expect(await leave.pots(member, 2030)).to.deep.equal({ vacation_statutory: "160.00", vacation_extra: "40.00" });
        await member.get(path.replace("2030", "2031"));
        expect(Object.keys(await leave.pots(member, 2031)).length).to.equal(2);
      });

    it("are not made for another year, nor for a person who has any pot of the year", async () => {
      for (const year of [2029, 2032]) await leave.balance(member, year);
      expect(await stored()).to.equal(0);
      await leave.pot(member, "sick", 2030, 1);
      await leave.balance(member, 2030);
      expect(await leave.pots(member, 2030)).to.deep.equal({ sick: "1.00" });
    });

    it("follow the organisation's year, not that of UTC", async () => {
      now.set("2030-12-31", "23:30"); // half past midnight in Amsterdam
      await leave.balance(member, 2032);
      expect(Object.keys(await leave.pots(member, 2032)).length).to.equal(2);
      await leave.balance(member, 2030);
      expect(await leave.pots(member, 2030)).to.deep.equal({});
    });

    it("need a caller who may write leave; the figures are the same without", async () => {
      const reader = await tenant.member("member", { grants: ["leave.request.read:own", "time.entry.write:own"] });
      await leave.types();
      const figures = await ok(reader.get("/leave/balance?year=2030"));
      expect(figures[0]).to.include({ entitled_hours: "160.00", remaining_hours: "160.00" });
      expect(await stored()).to.equal(0);
    });

    it("are answered and not stored under a lapsed licence", async () => {
      await leave.types();
      const restore = await lapse(service);
      for (const path of READS) expect((await member.get(path)).status).to.equal(200);
      expect((await ok(member.get(READS[0] as string)))[0]).to.include({ entitled_hours: "160.00" });
      expect(await stored()).to.equal(0);
      await restore();
      await member.get(READS[0] as string);
      expect(await stored()).to.equal(2);
    });

    it("are made for everyone without rows by the read of all", async () => {
      await leave.employee(20);
      await ok(tenant.owner.get("/leave/balance/groups?year=2031&all_users=true"));
      const { rows } = await service.sql.query(
        "select distinct user_id from leave_entitlements where organisation_id = $1 and year = 2031",
        [tenant.organisation.id],
      );
      expect(rows.length).to.equal(3);
    });

    it("are not created for a former member, even with a live contract", async () => {
      const gone = await leave.employee(40);
      await service.sql.query("delete from leave_entitlements where user_id = $1", [gone.accountId]);
      await service.sql.query("delete from memberships where id = $1", [gone.membershipId]);
      await leave.balance(gone, 2030);
      await ok(tenant.owner.get("/leave/balance/groups?year=2030&all_users=true"));
      expect(await leave.pots(gone, 2030)).to.deep.equal({});
    });

    it("are not made for a deactivated member without contract, who holds nothing any more", async () => {
      await service.sql.query("update memberships set deactivated_at = now() where id = $1", [member.membershipId]);
      const figures = await leave.balance(member, 2030);
      expect(figures["vacation_statutory"]).to.include({ entitled_hours: "0.00", remaining_hours: "0.00" });
      await ok(tenant.owner.get("/leave/balance/groups?year=2030&all_users=true"));
      expect(await leave.pots(member, 2030)).to.deep.equal({});
    });

    it("are made for a person a manager looks at", async () => {
      await leave.balance(member, 2030);
      expect(Object.keys(await leave.pots(member, 2030)).length).to.equal(2);
    });
  });

  it("have a row per active tracking type in list order, zeros included", async () => {
    const rows: { leave_type_id: string; balance_group: string | null }[] = await ok(member.get("/leave/balance?year=2030"));
    const keys = new Map([...(await leave.types())].map(([key, id]) => [id, key]));
    expect(rows.map(({ leave_type_id, balance_group }) => [keys.get(leave_type_id), balance_group])).to.deep.equal([
      ["vacation_statutory", "vacation"],
      ["vacation_extra", "vacation"],
      ["roostervrij", null],
    ]);
    expect(rows[2]).to.deep.equal({
      leave_type_id: await leave.type("roostervrij"),
      balance_group: null,
      year: 2030,
      entitled_hours: "0.00",
      approved_hours: "0.00",
      pending_hours: "0.00",
      remaining_hours: "0.00",
    });
    await ok(tenant.owner.patch(`/leave/types/${await leave.type("vacation_extra")}`, { active: false }));
    expect((await ok(member.get("/leave/balance?year=2030"))).length).to.equal(2);
  });

  it("count pending and approved leave, not rejected or cancelled", async () => {
    await leave.book(member, "vacation_statutory", "2030-03-04", 8);
    await leave.book(member, "vacation_statutory", "2030-03-05", 4, { status: "approved" });
    await leave.book(member, "vacation_statutory", "2030-03-06", 8, { status: "rejected" });
    await leave.book(member, "vacation_statutory", "2030-03-07", 8, { status: "cancelled" });
    expect((await leave.balance(member, 2030))["vacation_statutory"]).to.include({
      pending_hours: "8.00",
      approved_hours: "4.00",
      remaining_hours: "148.00",
    });
  });

  it("never refuse for want of balance: a group may be below zero", async () => {
    await leave.pot(member, "vacation_statutory", 2030, 4);
    await leave.book(member, "vacation_statutory", ["2030-03-04", "2030-03-05"], 16);
    expect((await leave.balance(member, 2030))["vacation_statutory"]).to.include({ remaining_hours: "-12.00" });
  });

  it("do not count in December what dies on 1 January when the next year is read", async () => {
    now.set("2030-12-15");
    await ok(tenant.owner.patch(`/leave/types/${await leave.type("vacation_statutory")}`, { carry_over_months: 0 }));
    await leave.pot(member, "vacation_statutory", 2030, 10);
    await leave.pot(member, "vacation_statutory", 2031, 20);
    expect(await leave.group(member, "vacation_statutory", 2030)).to.include({ remaining_hours: "10.00" });
    expect(await leave.group(member, "vacation_statutory", 2031)).to.include({
      remaining_hours: "20.00",
      entitled_hours: "20.00",
    });
  });

  describe("groups", () => {
    it("are labelled and ordered by their representative, with pots by expiry", async () => {
      await leave.generate(2030);
      const groups = await ok(member.get("/leave/balance/groups?year=2030"));
      expect(groups.map(({ group, label_i18n }: { group: string; label_i18n: object }) => [group, label_i18n])).to.deep.equal([
        ["vacation", { nl: "Vakantieverlof", en: "Vacation" }],
        [null, { nl: "Vrije tijd", en: "Free time" }],
      ]);
      expect(groups[0]).to.deep.equal({
        user_id: null,
        group: "vacation",
        label_i18n: { nl: "Vakantieverlof", en: "Vacation" },
        leave_type_ids: [await leave.type("vacation_statutory"), await leave.type("vacation_extra")],
        year: 2030,
        entitled_hours: "200.00",
        approved_hours: "0.00",
        pending_hours: "0.00",
        remaining_hours: "200.00",
        lapsed_hours: "0.00",
        expiring_soon_hours: "0.00",
        pots: [
          {
            leave_type_id: await leave.type("vacation_statutory"),
            accrual_year: 2030,
            entitled_hours: "160.00",
            remaining_hours: "160.00",
            expires_on: "2031-07-01",
            expired: false,
          },
          {
            leave_type_id: await leave.type("vacation_extra"),
            accrual_year: 2030,
            entitled_hours: "40.00",
            remaining_hours: "40.00",
            expires_on: "2036-01-01",
            expired: false,
          },
        ],
      });
    });

    it("of all users are of everyone with a pot or an occupying request, tagged, also of people who left", async () => {
      const gone = await tenant.member("member", { grants: [] });
      await leave.book(gone, "vacation_statutory", "2030-03-04", 8);
      await service.sql.query("delete from memberships where id = $1", [gone.membershipId]);
      const nothing = await tenant.member("member", { grants: [] });
      const rows: { user_id: string; group: string | null; remaining_hours: string }[] = await ok(
        tenant.owner.get("/leave/balance/groups?year=2030&all_users=true"),
      );
      const users = new Set(rows.map(({ user_id }) => user_id));
      expect(users).to.deep.equal(new Set([tenant.owner.accountId, member.accountId, gone.accountId]));
      expect(users.has(nothing.accountId)).to.equal(false);
      expect(rows.find(({ user_id, group }) => user_id === gone.accountId && group === "vacation")?.remaining_hours).to.equal(
        "-8.00",
      );
    });

    it("of all users without read :any are silently one's own", async () => {
      const own = await ok(member.get("/leave/balance/groups?year=2030"));
      expect(await ok(member.get("/leave/balance/groups?year=2030&all_users=true"))).to.deep.equal(own);
    });

    it("of all users cost as many statements for 200 people as for 2", async () => {
      const path = "/leave/balance/groups?year=2030&all_users=true";
      const counted = async () => {
        await ok(tenant.owner.get(path));
        return (await tenant.owner.get(path)).statements;
      };
      const few = await counted();
      await service.sql.query(
        `insert into leave_entitlements (id, organisation_id, user_id, leave_type_id, year, hours)
          select gen_random_uuid(), $1, u, $2, 2030, 100 from (select gen_random_uuid() as u from generate_series(1, 200)) people`,
        [tenant.organisation.id, await leave.type("vacation_statutory")],
      );
      expect(await counted()).to.equal(few);
      expect((await ok(tenant.owner.get(path))).length).to.be.greaterThan(400);
    });
  });

  describe("whose", () => {
    it("another's needs read :any, else 403; one's own by id is fine", async () => {
      for (const path of READS) {
        expect((await member.get(`${path}&user_id=${tenant.owner.accountId}`)).status).to.equal(403);
        expect((await member.get(`${path}&user_id=${member.accountId}`)).status).to.equal(200);
        expect((await tenant.owner.get(`${path}&user_id=${member.accountId}`)).status).to.equal(200);
      }
    });

    it("an unknown person, or one of another organisation, has zeros and nothing is stored", async () => {
      const stranger = await (await service.tenant()).member("member");
      for (const id of [UNKNOWN, stranger.accountId]) {
        const rows = await ok(tenant.owner.get(`/leave/balance?year=2030&user_id=${id}`));
        expect(rows.map(({ entitled_hours }: { entitled_hours: string }) => entitled_hours)).to.deep.equal([
          "0.00",
          "0.00",
          "0.00",
        ]);
        expect(await ok(tenant.owner.get(`/leave/free-time?year=2030&user_id=${id}`))).to.include({
          entitled_hours: "0.00",
          placed_hours: "0.00",
        });
      }
      expect(await stored()).to.equal(0);
    });

    it("a former member with pots and leave has zeros, too", async () => {
      const gone = await leave.employee(20);
      await leave.balance(gone, 2030);
      await leave.book(gone, "vacation_statutory", "2030-03-04", 8);
      await leave.book(gone, "roostervrij", "2030-03-05", 4);
      await service.sql.query("delete from memberships where id = $1", [gone.membershipId]);
      const read = (path: string) => ok(tenant.owner.get(`${path}?year=2030&user_id=${gone.accountId}`));
      for (const path of ["/leave/balance", "/leave/balance/groups"])
        for (const row of await read(path))
          expect(row, path).to.include({ ...ZERO, approved_hours: "0.00", remaining_hours: "0.00" });
      expect((await read("/leave/balance/groups")).flatMap(({ pots }: { pots: object[] }) => pots)).to.deep.equal([]);
      const free = await read("/leave/free-time");
      expect(free).to.include({ ...ZERO, placed_hours: "0.00", overhang_hours: "0.00", next_date: null });
      expect(free.days).to.deep.equal([]);
    });

    it("a service account's own are empty", async () => {
      const robot = await tenant.serviceAccount(["leave.request.read:any", "leave.request.write:any"]);
      expect(await ok(robot.get("/leave/balance?year=2030"))).to.deep.equal([]);
      expect(await ok(robot.get("/leave/balance/groups?year=2030"))).to.deep.equal([]);
      expect(await ok(robot.get("/leave/free-time?year=2030"))).to.include({ entitled_hours: "0.00", next_date: null });
      expect((await ok(robot.get(`/leave/balance?year=2030&user_id=${member.accountId}`)))[0]).to.include({
        entitled_hours: "160.00",
      });
    });

    it("a year is needed, within 2000 and 2100", async () => {
      for (const path of READS) {
        const bare = path.split("?")[0] as string;
        expect(refusalOf(await member.get(bare))).to.deep.equal(invalidOn({ year: "errors.required" }));
        expect(refusalOf(await member.get(`${bare}?year=2101`))).to.deep.equal(invalidOn({ year: "errors.validation" }));
      }
    });
  });
});
