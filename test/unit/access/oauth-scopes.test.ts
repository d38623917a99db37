import { expect } from "chai";
import { permissions, storedGrants } from "../../../core/declare/permissions.ts";
import { offeredScopes } from "../../../services/access/oauth/offered-scopes.ts";

const held = [
  "apikeys.personal.manage",
  "companies.company.read",
  "companies.company.write",
  "interactions.interaction.read_all",
  "members.member.read",
  "settings.system.read",
  "tasks.comment.write:any",
  "tasks.comment.write:own",
  "time.entry.read:own",
];
const valuesOf = (scope: string, grants: readonly string[] = held) => offeredScopes(grants, scope).map(({ value }) => value);

describe("the offer of a consent (access §8.3)", () => {
  const cases: [scope: string, offered: string[]][] = [
    ["mcp:read", ["companies.company.read", "members.member.read", "settings.system.read", "time.entry.read:own"]],
    ["companies.company.write", ["companies.company.write"]],
    ["companies.company.read companies.company.write", ["companies.company.read", "companies.company.write"]],
    ["companies.company.delete", []],
    ["nonsense companies.company.read *", ["companies.company.read"]],
    ["companies.company.read:any", []],
    ["tasks.comment.write", ["tasks.comment.write:any"]],
    ["tasks.comment.write:own", ["tasks.comment.write:own"]],
    ["tasks.comment.write:any", ["tasks.comment.write:any"]],
    ["tasks.comment.write:own tasks.comment.write:any", ["tasks.comment.write:any"]],
    ["time.entry.read", ["time.entry.read:own"]],
    ["time.entry.read:any", ["time.entry.read:own"]],
  ];
  for (const [scope, offered] of cases)
    it(`to '${scope}'`, () => {
      expect(valuesOf(scope).toSorted()).to.deep.equal(offered.toSorted());
    });

  for (const scope of ["", "mcp:full", "mcp:full nonsense", "  "])
    it(`everything held to '${scope}', each at its broadest`, () => {
      expect(valuesOf(scope).toSorted()).to.deep.equal(held.filter((one) => one !== "tasks.comment.write:own").toSorted());
    });

  it("never broader than requested by name, even with everything", () => {
    expect(valuesOf("mcp:full tasks.comment.write:own"))
      .to.include("tasks.comment.write:own")
      .and.not.include("tasks.comment.write:any");
  });

  it("an owner every permission in stored form and never the wildcard", () => {
    const offered = valuesOf("", ["*"]);
    expect(offered).to.have.length(permissions().length).and.not.include("*");
    for (const value of offered) expect(storedGrants().has(value), value).to.equal(true);
    expect(offered.filter((value) => value.endsWith(":own"))).to.deep.equal([]);
  });

  it("marks reads, and ticks those beforehand that are about no settings, members or keys", () => {
    const marks = Object.fromEntries(offeredScopes(held, "").map(({ value, read, preselected }) => [value, [read, preselected]]));
    expect(marks).to.deep.equal({
      "apikeys.personal.manage": [false, false],
      "companies.company.read": [true, true],
      "companies.company.write": [false, false],
      "interactions.interaction.read_all": [false, false],
      "members.member.read": [true, false],
      "settings.system.read": [true, false],
      "tasks.comment.write:any": [false, false],
      "time.entry.read:own": [true, true],
    });
    expect(offeredScopes(held, "time.entry.read")[0]?.label_key).to.equal("permissions.time.entry.read");
  });
});
