import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { invalidOn, refusalOf } from "../clients/companies/company-records.ts";
import { lapse } from "./leave-people.ts";

const SEEDED = ["vacation_statutory", "vacation_extra", "roostervrij", "sick", "special", "unpaid"];

describe("leave types", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const list = (query = "") => tenant.owner.get(`/leave/types${query}`);
  const keysOf = ({ body }: { body: { key: string }[] }) => body.map(({ key }) => key);
  const create = (body: unknown) => tenant.owner.post("/leave/types", body);
  const made = async (body: object) => (await create(body)).body;
  const patch = (id: string, body: unknown) => tenant.owner.patch(`/leave/types/${id}`, body);

  describe("seeding", () => {
    it("gives an organisation its first six on the first read, by position", async () => {
      const { status, body } = await list();
      expect(status).to.equal(200);
      expect(body.map(({ key, position }: { key: string; position: number }) => [key, position])).to.deep.equal(
        SEEDED.map((key, index) => [key, [10, 20, 25, 30, 40, 50][index]]),
      );
      const [statutory, extra, free] = body;
      expect(statutory).to.deep.equal({
        id: statutory.id,
        org_id: tenant.organisation.id,
        key: "vacation_statutory",
        label_i18n: { nl: "Wettelijke vakantie", en: "Statutory vacation" },
        color: "emerald",
        paid: true,
        tracks_balance: true,
        requires_approval: true,
        accrues_schedule_gap: false,
        calendar_display: "all_day",
        default_weeks: "4",
        carry_over_months: 6,
        balance_group: "vacation",
        position: 10,
        active: true,
        created_at: statutory.created_at,
        updated_at: statutory.created_at,
      });
      expect(extra).to.include({ default_weeks: "1", carry_over_months: 60, balance_group: "vacation" });
      expect(free).to.include({
        accrues_schedule_gap: true,
        requires_approval: false,
        calendar_display: "timed",
        carry_over_months: 0,
      });
      expect(free.default_weeks).to.equal(null);
    });

    it("happens once, also under parallel first reads", async () => {
      const answers = await Promise.all(Array.from({ length: 12 }, () => list()));
      for (const answer of answers) expect(keysOf(answer)).to.deep.equal(SEEDED);
      const { rows } = await service.sql.query("select count(*)::int as n from leave_types where organisation_id = $1", [
        tenant.organisation.id,
      ]);
      expect(rows).to.deep.equal([{ n: 6 }]);
    });

    it("does not come back for who deleted them", async () => {
      for (const { id } of (await list()).body) expect((await tenant.owner.delete(`/leave/types/${id}`)).status).to.equal(204);
      expect(keysOf(await list())).to.deep.equal([]);
    });

    it("creates none for an organisation that made its own first", async () => {
      const { id } = await made({ key: "own" });
      const other = await service.tenant();
      await other.owner.post("/leave/types", { key: "own" });
      expect(keysOf(await other.owner.get("/leave/types"))).to.deep.equal(["own"]);
      await tenant.owner.delete(`/leave/types/${id}`);
      expect(keysOf(await list()), "not even once it is gone").to.deep.equal([]);
    });

    it("needs a reader who may write leave, and a licence", async () => {
      const reader = await tenant.member("member", { grants: ["leave.request.read:any"] });
      expect(keysOf(await reader.get("/leave/types"))).to.deep.equal([]);
      const restore = await lapse(service);
      expect([(await list()).status, keysOf(await list())]).to.deep.equal([200, []]);
      await restore();
      expect(keysOf(await (await tenant.member("member")).get("/leave/types"))).to.deep.equal(SEEDED);
    });
  });

  describe("lists and writes", () => {
    it("are listed by position, then key; inactive ones only on request", async () => {
      await made({ key: "b", position: 1 });
      await made({ key: "a", position: 1 });
      await made({ key: "z", position: 0 });
      await made({ key: "off", position: -1, active: false });
      expect(keysOf(await list())).to.deep.equal(["z", "a", "b"]);
      expect(keysOf(await list("?include_inactive=true"))).to.deep.equal(["off", "z", "a", "b"]);
    });

    it("begin emerald, paid, without balance, with approval, active at position 0", async () => {
      const { status, body } = await create({ key: "plain" });
      expect(status).to.equal(201);
      expect(body).to.include({
        color: "emerald",
        paid: true,
        tracks_balance: false,
        requires_approval: true,
        accrues_schedule_gap: false,
        calendar_display: "all_day",
        position: 0,
        active: true,
        default_weeks: null,
        carry_over_months: null,
        balance_group: null,
      });
      expect(body.label_i18n).to.deep.equal({});
    });

    const refused: [what: string, body: object, fields: Record<string, string>][] = [
      ["no key", {}, { key: "errors.required" }],
      ["a key with a capital", { key: "Sick" }, { key: "errors.validation" }],
      ["a key over 50 characters", { key: "x".repeat(51) }, { key: "errors.validation" }],
      ["53 weeks", { key: "a", default_weeks: 53 }, { default_weeks: "errors.validation" }],
      ["53 weeks as text", { key: "a", default_weeks: "53" }, { default_weeks: "errors.validation" }],
      ["weeks below none", { key: "a", default_weeks: -1 }, { default_weeks: "errors.validation" }],
      ["121 months", { key: "a", carry_over_months: 121 }, { carry_over_months: "errors.validation" }],
      ["a group that is no slug", { key: "a", balance_group: "a b" }, { balance_group: "errors.validation" }],
      ["another display", { key: "a", calendar_display: "weekly" }, { calendar_display: "errors.validation" }],
    ];
    for (const [what, body, fields] of refused)
      it(`refuse ${what}`, async () => {
        expect(refusalOf(await create(body))).to.deep.equal(invalidOn(fields));
      });

    it("take the limits themselves", async () => {
      const { body } = await create({ key: "a", default_weeks: "52", carry_over_months: 120 });
      expect(body).to.include({ default_weeks: "52", carry_over_months: 120 });
      expect((await create({ key: "b", default_weeks: 0, carry_over_months: 0 })).body).to.include({ default_weeks: "0" });
    });

    it("have a key of their own: 409, also at the same moment", async () => {
      const answers = await Promise.all([create({ key: "twin" }), create({ key: "twin" })]);
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 409]);
      const lost = answers.find(({ status }) => status === 409);
      expect(lost?.body.error).to.include({ code: "conflict", message: "errors.conflict" });
    });

    it("keep their key, and clear only weeks, months and group with null", async () => {
      const { id } = await made({ key: "kept", default_weeks: 2, carry_over_months: 3, balance_group: "g" });
      const cleared = await patch(id, { key: "other", default_weeks: null, carry_over_months: null, balance_group: null });
      expect(cleared.body).to.include({ key: "kept", default_weeks: null, carry_over_months: null, balance_group: null });
      for (const field of ["label_i18n", "color", "paid", "tracks_balance", "requires_approval", "position", "active"])
        expect(refusalOf(await patch(id, { [field]: null })), field).to.deep.equal(invalidOn({ [field]: "errors.validation" }));
    });

    it("leave fields unchanged that a PATCH omits, and do not move without a change", async () => {
      const before = await made({ key: "same", color: "teal", default_weeks: "1.5" });
      const { body, headers } = await patch(before.id, { color: "teal", default_weeks: 1.5 });
      expect(body).to.deep.equal(before);
      expect(headers.etag).to.equal('"1"');
    });

    it("answer 409 to a delete while any request refers to them, of any status, and go with pots and patterns otherwise", async () => {
      const { id } = await made({ key: "used", tracks_balance: true });
      const org = tenant.organisation.id;
      const person = tenant.owner.accountId;
      await service.sql.query(
        "insert into leave_entitlements (id, organisation_id, user_id, leave_type_id, year, hours) values (gen_random_uuid(), $1, $2, $3, 2030, 8)",
        [org, person, id],
      );
      await service.sql.query(
        "insert into leave_recurring_days (id, organisation_id, user_id, leave_type_id, anchor_date) values (gen_random_uuid(), $1, $2, $3, '2030-01-04')",
        [org, person, id],
      );
      const { rows } = await service.sql.query(
        `insert into leave_requests (id, organisation_id, user_id, leave_type_id, status, start_date, end_date, hours)
          values (gen_random_uuid(), $1, $2, $3, 'cancelled', '2030-01-04', '2030-01-04', 8) returning id`,
        [org, person, id],
      );
      const refusal = await tenant.owner.delete(`/leave/types/${id}`);
      expect([refusal.status, refusal.body.error]).to.deep.equal([
        409,
        { code: "conflict", message: "errors.leave_type_in_use" },
      ]);
      await service.sql.query("delete from leave_requests where id = $1", [rows[0].id]);
      expect((await tenant.owner.delete(`/leave/types/${id}`)).status).to.equal(204);
      for (const table of ["leave_entitlements", "leave_recurring_days"])
        expect((await service.sql.query(`select 1 from ${table} where leave_type_id = $1`, [id])).rows).to.deep.equal([]);
    });
  });

  it("are read by who reads leave and written by who manages types", async () => {
    const member = await tenant.member("member");
    const { body } = await member.get("/leave/types");
    expect(body.length).to.equal(6);
    for (const answer of [
      await member.post("/leave/types", { key: "x" }),
      await member.patch(`/leave/types/${body[0].id}`, { color: "x" }),
      await member.delete(`/leave/types/${body[0].id}`),
    ])
      expect(answer.status).to.equal(403);
    const client = await tenant.member("client");
    expect((await client.get("/leave/types")).status).to.equal(403);
    const admin = await tenant.member("admin");
    expect((await admin.patch(`/leave/types/${body[0].id}`, { color: "rose" })).body.color).to.equal("rose");
  });
});
