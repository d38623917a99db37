import { expect } from "chai";
import type { Action } from "../../../core/declare/action.ts";
import { announcedTrialEnd, type LicenceState, licensingOf, mayBeWritten, trialEndsAt } from "../../../core/declare/licence.ts";
import { SYSTEM } from "../../../core/request/system.ts";
import { licenceGate, licensedModule } from "../../../mixins/licence.ts";

const INSTALLED = "2026-01-01T00:00:00Z";
const at = (instant: string) => Date.parse(instant);
const selfHosted = (...modules: LicenceState["modules"]): LicenceState => ({
  licensing: "required",
  installedAt: INSTALLED,
  modules,
  plan: null,
  planEndsAt: null,
});
const hosted = (plan: string | null, planEndsAt: string | null = null): LicenceState => ({
  licensing: "plan",
  installedAt: INSTALLED,
  modules: [],
  plan,
  planEndsAt,
});
const listed = (expiresAt: string, graceDays = 0) => ({ module: "time", expiresAt, graceDays });

const free = (...modules: LicenceState["modules"]): LicenceState => ({ ...selfHosted(...modules), licensing: "none" });

describe("whether a module may be written (conventions §7)", () => {
  const table: [string, LicenceState, string, boolean][] = [
    ["self-hosted, in the trial", selfHosted(), "2026-01-14T23:59:59Z", true],
    ["self-hosted, at the last instant of the trial", selfHosted(), "2026-01-15T00:00:00Z", true],
    ["self-hosted, after the trial", selfHosted(), "2026-01-15T00:00:00.001Z", false],
    ["self-hosted, licensed", selfHosted(listed("2027-01-01T00:00:00Z")), "2026-06-01T00:00:00Z", true],
    ["self-hosted, at the instant of expiry", selfHosted(listed("2026-06-01T00:00:00Z")), "2026-06-01T00:00:00Z", true],
    ["self-hosted, expired", selfHosted(listed("2026-06-01T00:00:00Z")), "2026-06-01T00:00:00.001Z", false],
    ["self-hosted, in its grace days", selfHosted(listed("2026-06-01T00:00:00Z", 7)), "2026-06-08T00:00:00Z", true],
    ["self-hosted, after its grace days", selfHosted(listed("2026-06-01T00:00:00Z", 7)), "2026-06-08T00:00:00.001Z", false],
    ["self-hosted, expired in the trial", selfHosted(listed("2026-01-02T00:00:00Z")), "2026-01-03T00:00:00Z", false],
    [
      "self-hosted, another module licensed, after the trial",
      selfHosted({ ...listed("2027-01-01T00:00:00Z"), module: "hr" }),
      "2026-06-01T00:00:00Z",
      false,
    ],
    [
      "self-hosted, another module expired, in the trial",
      selfHosted({ ...listed("2026-01-02T00:00:00Z"), module: "hr" }),
      "2026-01-03T00:00:00Z",
      true,
    ],
    ["self-hosted without licences, years later", free(), "2036-01-01T00:00:00Z", true],
    ["self-hosted without licences, one expired", free(listed("2020-01-01T00:00:00Z")), "2036-01-01T00:00:00Z", true],
    ["hosted, standard", hosted("standard"), "2030-01-01T00:00:00Z", true],
    ["hosted, standard with an end in the past", hosted("standard", "2026-01-01T00:00:00Z"), "2030-01-01T00:00:00Z", true],
    ["hosted, unlimited", hosted("unlimited"), "2030-01-01T00:00:00Z", true],
    ["hosted, trial without end", hosted("trial"), "2030-01-01T00:00:00Z", true],
    ["hosted, trial before its end", hosted("trial", "2026-02-01T00:00:00Z"), "2026-01-31T23:59:59Z", true],
    ["hosted, trial at its end", hosted("trial", "2026-02-01T00:00:00Z"), "2026-02-01T00:00:00Z", false],
    ["hosted, no plan", hosted("none"), "2026-01-02T00:00:00Z", false],
    ["hosted, no plan at all", hosted(null), "2026-01-02T00:00:00Z", false],
  ];
  for (const [name, state, now, wanted] of table)
    it(`${name}: ${wanted ? "yes" : "no"}`, () => {
      expect(mayBeWritten("time", state, at(now))).to.equal(wanted);
    });

  it("is always so for a module that needs no licence", () => {
    expect(mayBeWritten(null, hosted("none"), at(INSTALLED))).to.equal(true);
    expect(mayBeWritten(null, selfHosted(), at("2030-01-01T00:00:00Z"))).to.equal(true);
  });
});

describe("the end of the trial (conventions §7)", () => {
  const SKUS = ["hr", "time"];
  const ENDS = "2026-01-15T00:00:00.000Z";
  const table: [string, LicenceState, string | null][] = [
    ["where licences are required", selfHosted(), ENDS],
    ["where a licence lists some modules only", selfHosted(listed("2020-01-01T00:00:00Z")), ENDS],
    [
      "not where it lists every module",
      selfHosted(listed("2027-01-01T00:00:00Z"), { ...listed("2020-01-01T00:00:00Z"), module: "hr" }),
      null,
    ],
    ["not where no licence is required", free(), null],
    ["not on a hosted installation", hosted("trial", "2026-01-10T00:00:00Z"), null],
  ];
  for (const [name, state, ends] of table)
    it(`is 14 days after the installation ${name}`, () => expect(trialEndsAt(SKUS, state)).to.equal(ends));

  for (const [now, ends] of [
    ["2026-01-09T23:59:59Z", null],
    ["2026-01-10T00:00:00Z", ENDS],
    ["2026-01-15T00:00:00Z", ENDS],
    ["2026-01-15T00:00:01Z", null],
  ] as const)
    it(`is ${ends === null ? "not announced" : "announced"} at ${now}: from the tenth day until it ends`, () => {
      expect(announcedTrialEnd(SKUS, selfHosted(), at(now))).to.equal(ends);
      expect(announcedTrialEnd(SKUS, free(), at(now))).to.equal(null);
    });
});

describe("which rule an installation follows (conventions §7)", () => {
  for (const [posture, licensing, rule] of [
    ["self-hosted", "off", "none"],
    ["self-hosted", "required", "required"],
    ["hosted", "off", "plan"],
    ["hosted", "required", "plan"],
  ] as const)
    it(`${posture}, SERVICE_LICENSING=${licensing}: ${rule}`, () => expect(licensingOf({ posture, licensing })).to.equal(rule));
});

describe("the licence gate of an action", () => {
  it("is that of its permission, for any scope", () => {
    expect(licensedModule({ permission: "time.entry.write" })).to.equal("time");
    expect(licensedModule({ permission: "time.entry.write:any" })).to.equal("time");
    expect(licensedModule({ permission: "ai.use" })).to.equal("ai");
    expect(licensedModule({ permission: "companies.company.write" })).to.equal(null);
    expect(licensedModule({})).to.equal(null);
  });

  it("is the one it names, where it names one", () => {
    expect(licensedModule({ permission: "members.member.write", licence: "portal" })).to.equal("portal");
    expect(licensedModule({ permission: "time.entry.write", licence: "portal" })).to.equal("portal");
  });

  const gate = (declared: Partial<Action>) => licenceGate({ permission: "time.entry.write", ...declared } as Action);
  it("guards POST, PUT, PATCH and DELETE, never a GET or an exempt call", () => {
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) expect(gate({ method }), method).not.to.equal(null);
    expect(gate({ method: "GET" })).to.equal(null);
    expect(gate({ method: "GET", writes: true })).to.equal(null);
    expect(gate({ method: "POST", licenceExempt: "a reason" })).to.equal(null);
    expect(gate({ method: "POST", permission: "companies.company.write" })).to.equal(null);
  });

  it("refuses with 402 and the code of the posture", () => {
    const refused = (licence: LicenceState) => {
      try {
        gate({ method: "POST" })?.({ ...SYSTEM, licence });
        return null;
      } catch (error) {
        const { code, type, message } = error as { code: number; type: string; message: string };
        return [code, type, message];
      }
    };
    expect(refused(hosted("none"))).to.deep.equal([402, "plan_inactive", "errors.plan_inactive"]);
    expect(refused(selfHosted(listed("2020-01-01T00:00:00Z")))).to.deep.equal([402, "license_expired", "errors.license_expired"]);
    expect(refused(hosted("standard"))).to.equal(null);
  });
});
