import { expect } from "chai";
import { capped, storedGrants } from "../../../core/declare/permissions.ts";
import type { Principal } from "../../../core/declare/principal.ts";
import { SYSTEM } from "../../../core/request/system.ts";
import { impersonated, MEETING } from "../../../services/api/impersonated.ts";

const BARE = "companies.company.read";
const SCOPED = "time.entry.read";

describe("what may be done in a login that a member looks into (access §11.4)", () => {
  for (const [what, own, impersonator, wanted] of [
    ["what both hold", [BARE, "files.file.write"], [BARE, "activity.read"], [BARE]],
    ["nothing where one holds nothing", [BARE], [], []],
    ["nothing more than the client", [], [BARE], []],
    ["any against own is own", [`${SCOPED}:any`], [`${SCOPED}:own`], [`${SCOPED}:own`]],
    ["own against any is own", [`${SCOPED}:own`], [`${SCOPED}:any`], [`${SCOPED}:own`]],
    ["any against any is any", [`${SCOPED}:any`], [`${SCOPED}:any`], [`${SCOPED}:any`]],
    ["both breadths of one are the broader", [`${SCOPED}:any`, `${SCOPED}:own`], [`${SCOPED}:any`], [`${SCOPED}:any`]],
    ["a scope nobody holds is none", [`${SCOPED}:own`], [BARE], []],
    ["an owner caps nothing", [`${SCOPED}:own`, BARE], ["*"], [BARE, `${SCOPED}:own`]],
    ["what is no permission counts for nothing", ["nonsense.thing.read"], ["*"], []],
  ] as [string, string[], string[], string[]][])
    it(what, () => {
      expect(capped(own, impersonator).toSorted()).to.deep.equal(wanted.toSorted());
    });

  it("is never the wildcard, though both are owners: every permission at its broadest", () => {
    const all = [...storedGrants()].filter((grant) => !grant.endsWith(":own"));
    expect(capped(["*"], ["*"]).toSorted()).to.deep.equal(all.toSorted());
  });
});

describe("the principal of an impersonated session", () => {
  const person = (values: Partial<Principal>): Principal => ({
    ...SYSTEM,
    kind: "user",
    accountId: "person",
    membershipId: "of person",
    name: "Petra",
    credential: { kind: "session", id: "session" },
    grants: [BARE],
    isSuperuser: true,
    ...values,
  });
  const target = (values: Partial<Principal>) =>
    person({ accountId: "target", membershipId: "of target", name: "Carla", isClientLogin: true, ...values });
  const of = (own: Partial<Principal>, impersonator: Partial<Principal>) =>
    impersonated(target(own), person(impersonator), { id: "grant", expiresAt: "2030-01-01T00:00:00.000Z" });

  it("is the client in the session of the member, and no instance administrator", () => {
    const made = of({}, {});
    expect(made).to.include({
      accountId: "target",
      membershipId: "of target",
      name: "Carla",
      isClientLogin: true,
      isSuperuser: false,
    });
    expect(made.credential).to.deep.equal({ kind: "session", id: "session" });
    expect(made.impersonation).to.deep.include({ accountId: "person", name: "Petra", expiresAt: "2030-01-01T00:00:00.000Z" });
  });

  for (const [what, own, impersonators, wanted] of [
    ["unrestricted is neutral on the member's side", ["a"], null, ["a"]],
    ["and on the client's", null, ["b"], ["b"]],
    ["two unrestricted stay so", null, null, null],
    ["two restricted meet", ["a"], ["b"], [MEETING, "grant"]],
    ["nothing meets nothing", [], ["b"], [MEETING, "grant"]],
    ["a member who sees nothing shows nothing", null, [], []],
  ] as [string, string[] | null, string[] | null, string[] | null][])
    it(`sees the intersection: ${what}`, () => {
      expect(of({ selection: own }, { selection: impersonators }).selection).to.deep.equal(wanted);
    });

  for (const [what, own, impersonator, wanted] of [
    ["not where the member holds all of it", {}, {}, false],
    ["not for an owner's view of a wide login", { grants: ["*"] }, { grants: ["*"] }, false],
    ["where a permission is missing", { grants: [BARE, "activity.read"] }, {}, true],
    ["where one lost its breadth", { grants: [`${SCOPED}:any`] }, { grants: [`${SCOPED}:own`] }, true],
    ["where the member is restricted", { selection: ["a"] }, { selection: ["b"] }, true],
  ] as [string, Partial<Principal>, Partial<Principal>, boolean][])
    it(`is narrowed ${what}`, () => {
      expect(of(own, impersonator).impersonation?.isNarrowed).to.equal(wanted);
    });
});
