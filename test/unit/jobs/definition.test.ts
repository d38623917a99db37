import { expect } from "chai";
import type { LicenceState } from "../../../core/declare/licence.ts";
import { definitionsOf, deliveryName, factsOf, waitAfter } from "../../../core/jobs/definition.ts";
import { dueRows } from "../../../core/jobs/due-rows.ts";
import { eligibilityOf } from "../../../core/jobs/eligibility.ts";
import { masked } from "../../../core/jobs/mask.ts";
import type { JobOrganisation } from "../../../core/jobs/store.ts";

const about = "Does something";
const handler = async () => {};

describe("a declared job", () => {
  it("has the platform's defaults", () => {
    const [definition] = definitionsOf("proof", { "proof.job": { about, handler } });
    expect(factsOf(definition as never)).to.deep.equal({
      name: "proof.job",
      service: "proof",
      about,
      event: null,
      per: "organisation",
      module: null,
      licenceExempt: false,
      schedule: null,
      due: null,
      worksOn: [],
      spread: 0,
      concurrency: 5,
      timeout: 60_000,
      lock: 30_000,
      dedupe: "start",
      attempts: 5,
      backoff: { first: 1_000, factor: 4, most: 3_600_000 },
    });
  });

  it("keeps its own settings", () => {
    const [definition] = definitionsOf("proof", {
      "proof.job": {
        about,
        handler,
        schedule: "15 3 * * *",
        everywhere: "a test",
        lock: 1,
        retry: { attempts: 9, backoff: { most: 5_000 } },
      },
    });
    expect(definition).to.include({ schedule: "15 3 * * *", lock: 1, attempts: 9 });
    expect(definition?.backoff).to.deep.equal({ first: 1_000, factor: 4, most: 5_000 });
  });

  it("may have a schedule in seconds", () => {
    const [definition] = definitionsOf("proof", {
      "proof.job": { about, handler, schedule: "*/15 * * * * *", everywhere: "a test" },
    });
    expect(definition?.schedule).to.equal("*/15 * * * * *");
  });

  for (const schedule of ["every day", "* * * *", "0 0 0 0 * * *", "5000", ""])
    it(`does not start with the schedule '${schedule}'`, () => {
      expect(() => definitionsOf("proof", { "proof.job": { about, handler, schedule } })).to.throw(
        TypeError,
        "cron with five fields",
      );
    });

  const due = dueRows(["tasks", "r.due_date < now()"]);
  for (const reach of [{}, { worksOn: [] }, { worksOn: ["tasks"], everywhere: "a test" }, { worksOn: ["tasks"], due }])
    it(`does not start with a schedule and the reach ${JSON.stringify(reach)}`, () => {
      const jobs = { "proof.job": { about, handler, schedule: "0 3 * * *", ...reach } };
      expect(() => definitionsOf("proof", jobs)).to.throw(TypeError, "name the rows that are 'due', the tables it 'worksOn'");
    });

  for (const spread of [-1, 60, 0.5])
    it(`does not start with a spread of ${spread} minutes`, () => {
      const jobs = { "proof.job": { about, handler, schedule: "0 3 * * *", everywhere: "a test", spread } };
      expect(() => definitionsOf("proof", jobs)).to.throw(TypeError, "whole minutes, at most 59");
    });

  it("with a schedule works on due rows, on its tables, or everywhere", () => {
    const schedule = "0 3 * * *";
    const definitions = definitionsOf("proof", {
      "proof.some": { about, handler, schedule, worksOn: ["tasks"] },
      "proof.all": { about, handler, schedule, everywhere: "a test", spread: 55 },
      "proof.due": { about, handler, schedule, due },
    });
    const reach = definitions.map(({ due: chosen, worksOn, spread }) => [chosen, worksOn, spread]);
    expect(reach).to.deep.equal([
      [null, ["tasks"], 0],
      [null, [], 55],
      [due.name, [], 0],
    ]);
  });

  it("of the installation is omitted if not needed", () => {
    const jobs = {
      a: { about, handler, per: "installation" as const, when: () => false },
      b: { about, handler, per: "installation" as const },
    };
    expect(definitionsOf("proof", jobs).map(({ name }) => name)).to.deep.equal(["b"]);
  });

  it("of a subscriber is named by event and actor", () => {
    const [definition] = definitionsOf("proof", {}, { "company.created": handler });
    expect(definition).to.include({ name: deliveryName("company.created", "proof"), event: "company.created" });
  });
});

describe("due rows", () => {
  const rows = ["tasks", "r.due_date < now()"] as const;

  it("are a function that is named by its text", () => {
    const { name, sql } = dueRows(rows);
    expect(name).to.match(/^tasks_due_[0-9a-f]{8}$/);
    expect(sql).to.match(new RegExp(`^create function jobs\\.${name}\\(\\) returns setof uuid`));
    expect(dueRows(rows).name).to.equal(name);
    expect(dueRows(["tasks", "r.due_date < now() + interval '1 day'"]).name).to.not.equal(name);
  });

  it("need tables by their names", () => {
    expect(() => dueRows()).to.throw(TypeError);
    expect(() => dueRows(["tasks; drop table tasks", "true"])).to.throw(TypeError);
  });
});

describe("the wait after a failure", () => {
  const rule = { backoff: { first: 1_000, factor: 4, most: 60_000 } };
  const waits = (random: number) => [1, 2, 3, 4, 5, 50].map((attempt) => waitAfter(rule, attempt, random));

  it("grows by its factor up to its most", () =>
    expect(waits(0.5)).to.deep.equal([1_000, 4_000, 16_000, 60_000, 60_000, 60_000]));
  it("is spread by a fifth to both sides", () => {
    expect(waits(0)[0]).to.equal(800);
    expect(waits(1)[0]).to.equal(1_200);
  });
});

describe("the state of a job (conventions §7, §20)", () => {
  const now = Date.parse("2026-06-15T12:00:00Z");
  const employer = (status: "active" | "suspended", licence: Partial<LicenceState> = {}): JobOrganisation => ({
    organisation: { status } as JobOrganisation["organisation"],
    licence: {
      licensing: "required",
      installedAt: "2026-06-10T00:00:00Z",
      modules: [],
      plan: "trial",
      planEndsAt: null,
      ...licence,
    },
  });
  const expired = { modules: [{ module: "domains", expiresAt: "2026-06-01T00:00:00Z", graceDays: 0 }] };
  const lapsed = { licensing: "plan", plan: "none" } as const;

  const rows: [
    what: string,
    employer: JobOrganisation | undefined,
    module: string | null,
    byClock: boolean,
    eligibility: string,
  ][] = [
    ["an active organisation", employer("active"), null, true, "run"],
    ["an active organisation, asked for", employer("active"), null, false, "run"],
    ["a deleted organisation", undefined, null, true, "gone"],
    ["a deleted organisation, asked for", undefined, null, false, "gone"],
    ["a suspended organisation", employer("suspended"), null, true, "wait"],
    ["a suspended organisation, asked for", employer("suspended"), null, false, "wait"],
    ["a module in the trial", employer("active"), "domains", true, "run"],
    ["a module whose licence has expired", employer("active", expired), "domains", true, "wait"],
    ["a module whose licence has expired, asked for", employer("active", expired), "domains", false, "wait"],
    ["another module of that licence", employer("active", expired), "hr", true, "run"],
    ["a hosted plan", employer("active", { licensing: "plan", plan: "standard" }), "domains", true, "run"],
    ["a lapsed hosted plan", employer("active", lapsed), null, true, "wait"],
    ["a lapsed hosted plan, asked for: the mail that lets somebody in", employer("active", lapsed), null, false, "run"],
    ["a module under a lapsed hosted plan, asked for", employer("active", lapsed), "domains", false, "wait"],
    [
      "a hosted trial that is over",
      employer("active", { licensing: "plan", plan: "trial", planEndsAt: "2026-06-15T11:59:59Z" }),
      null,
      true,
      "wait",
    ],
  ];
  for (const [what, whose, module, byClock, eligibility] of rows)
    it(`${what}: ${eligibility}`, () => expect(eligibilityOf(whose, module, byClock, now)).to.equal(eligibility));
});

describe("a masked payload", () => {
  it("keeps kinds, ids, instants, numbers and flags", () => {
    const payload = {
      kind: "edge.sync",
      id: "01890000-0000-7000-8000-0000000000a1",
      ids: ["01890000-0000-7000-8000-0000000000a1"],
      at: "2026-06-15T12:00:00Z",
      day: "2026-06-15",
      count: 3,
      dry: false,
      none: null,
      key: "01890000-0000-7000-8000-0000000000a1 schedule",
    };
    expect(masked(payload)).to.deep.equal(payload);
  });

  it("hides every other text, however deep", () => {
    expect(masked({ name: "Jan de Vries", deep: [{ mail: "jan@example.nl" }], token: "Zm9vYmFyQmF6" })).to.deep.equal({
      name: "***",
      deep: [{ mail: "***" }],
      token: "***",
    });
  });
});
