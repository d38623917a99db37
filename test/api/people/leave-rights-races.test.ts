import { expect } from "chai";
import pg from "pg";
import { until } from "../../support/jobs.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { waitingFor } from "../../support/waiting.ts";
import { clock, DEFAULT_WEEK, FOUR_DAYS, Leave, licensed, ok } from "./leave-people.ts";

const ROUNDS = 6;

describe("leave rights under competing writes", () => {
  let service: TestService;
  let tenant: Tenant;
  let leave: Leave;
  const now = clock();
  before(async () => {
    service = await sharedService("clock");
    await licensed(service);
  });
  beforeEach(async () => {
    now.set("2030-02-04");
    tenant = await service.tenant();
    leave = new Leave(service, tenant);
    await leave.types();
  });
  afterEach(now.restore);
  after(() => service.stop());

  const statutory = async (person: Caller, year = 2030) => (await leave.pots(person, year))["vacation_statutory"];

  /**
   * Runs writes while another unfinished transaction locks the rows of `text`, so that the first stops there: each starts only when all
   * before it wait or are done, and only then do they continue.
   */
  const behind = async <T>(text: string, values: unknown[], ...writes: (() => Promise<T>)[]): Promise<T[]> => {
    const other = new pg.Client({ connectionString: service.database.superuser });
    await other.connect();
    try {
      await other.query("begin");
      await other.query(text, values);
      let done = 0;
      const running: Promise<T>[] = [];
      for (const write of writes) {
        running.push(
          write().finally(() => {
            done += 1;
          }),
        );
        await until(async () => (await waitingFor(other)) + done === running.length);
      }
      await other.query("rollback");
      return await Promise.all(running);
    } finally {
      await other.end();
    }
  };
  /** Stops a first read of a person's balance between its decision and its write, until `change` waits or is done. */
  const duringFirstRead = async (person: Caller, change: () => Promise<unknown>) =>
    behind(
      "insert into leave_entitlements (id, organisation_id, user_id, leave_type_id, year, hours) values (gen_random_uuid(), $1, $2, $3, 2030, 1)",
      [tenant.organisation.id, person.accountId, await leave.type("vacation_statutory")],
      () => ok(person.get("/leave/balance?year=2030")),
      change,
    );
  /** A person with a contract and no pots, as before the first read of a year. */
  const contracted = async (start: string, hours = 40) => {
    const person = await tenant.member("member");
    const { id } = await leave.contract(person, hours, start);
    await service.sql.query("delete from leave_entitlements where user_id = $1", [person.accountId]);
    return { person, id };
  };

  it("of two parallel contracts for one day exactly one is created", async () => {
    const person = await tenant.member("member");
    const create = () =>
      tenant.owner.post("/leave/contracts", { user_id: person.accountId, start_date: "2030-01-01", contract_hours_per_week: 8 });
    const held = "insert into leave_contracted (organisation_id, user_id) values ($1, $2)";
    const answers = await behind(held, [tenant.organisation.id, person.accountId], create, create);
    expect(answers.map(({ status }) => status)).to.deep.equal([201, 409]);
  });

  it("a contract that ends during a first read has the last word", async () => {
    const { person, id } = await contracted("2029-01-01");
    await duringFirstRead(person, () => ok(tenant.owner.patch(`/leave/contracts/${id}`, { end_date: "2029-12-31" })));
    expect(await leave.pots(person, 2030)).to.deep.equal({});
  });

  it("a first contract made during a first read has the last word", async () => {
    const person = await tenant.member("member");
    await duringFirstRead(person, () => leave.contract(person, null, "2030-01-01", { employment_type: "freelance" }));
    expect(await leave.pots(person, 2030)).to.deep.equal({});
  });

  it("a contract that is deleted during a first read has the last word", async () => {
    const { person, id } = await contracted("2029-01-01");
    await duringFirstRead(person, () => ok(tenant.owner.delete(`/leave/contracts/${id}`)));
    expect(await leave.pots(person, 2030)).to.deep.equal({});
  });

  it("a first read that waited for a change of contract stores the new contract's pots", async () => {
    const { person, id } = await contracted("2030-01-01", 32);
    // The change stops at a pot it derives; the read has seen the contract of before by then, which gave free time as well.
    await behind(
      "insert into leave_entitlements (id, organisation_id, user_id, leave_type_id, year, hours) values (gen_random_uuid(), $1, $2, $3, 2030, 1)",
      [tenant.organisation.id, person.accountId, await leave.type("vacation_extra")],
      () => ok(tenant.owner.patch(`/leave/contracts/${id}`, { free_time_hours_per_week: 0 })),
      () => ok(person.get("/leave/balance?year=2030")),
    );
    expect(await leave.pots(person, 2030)).to.deep.equal({ vacation_statutory: "128.00", vacation_extra: "32.00" });
  });

  it("generating while a contract changes leaves the pots of the contract as it then is", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { person, id } = await contracted("2030-01-01");
      const hours = 20 + round;
      await Promise.all([
        leave.generate(2030),
        ok(tenant.owner.patch(`/leave/contracts/${id}`, { contract_hours_per_week: hours })),
        leave.generate(2030),
      ]);
      expect(await statutory(person)).to.equal((4 * hours).toFixed(2));
    }
  });

  it("generating while the norm changes leaves everyone with pots of the one norm", async () => {
    const people = [await tenant.member("member"), await leave.employee(24)];
    for (let round = 0; round < ROUNDS; round++) {
      const week = round % 2 === 0 ? FOUR_DAYS : DEFAULT_WEEK;
      await Promise.all([
        leave.generate(2030),
        ok(tenant.owner.put("/leave/settings", { default_schedule: week })),
        ok(tenant.owner.get("/leave/balance/groups?year=2030&all_users=true")),
      ]);
      expect(await statutory(people[0] as Caller)).to.equal(round % 2 === 0 ? "128.00" : "160.00");
      expect((await leave.pots(people[1] as Caller, 2030))["roostervrij"]).to.equal(round % 2 === 0 ? "416.00" : "836.00");
    }
  });

  it("a type's weeks changed while a contract is made end in the pots of both", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const person = await tenant.member("member");
      await leave.balance(person, 2030);
      const default_weeks = 4 + (round % 3);
      await Promise.all([
        ok(tenant.owner.patch(`/leave/types/${await leave.type("vacation_statutory")}`, { default_weeks })),
        leave.contract(person, 20, "2030-01-01"),
      ]);
      expect(await statutory(person)).to.equal((20 * default_weeks).toFixed(2));
    }
  });

  it("a pot set by hand while pots are generated stays as it was set", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const person = await tenant.member("member");
      await Promise.all([leave.generate(2030), leave.pot(person, "vacation_statutory", 2030, 7), leave.generate(2030)]);
      expect(await statutory(person)).to.equal("7.00");
    }
  });
});
