import { expect } from "chai";
import { mergedPrefs } from "../../../services/access/accounts/prefs.ts";
import { isGuarded, permissionChanges, roleKey, storedPermissions, unionOf } from "../../../services/access/roles/role-rules.ts";

const role = (key: string, is_system: boolean, ...permissions: string[]) => ({ key, is_system, permissions });

describe("rules of roles", () => {
  for (const [typed, key] of [
    ["Planner", "planner"],
    ["  sales-nl ", "sales-nl"],
    ["9_to_5", "9_to_5"],
    ["a".repeat(63), "a".repeat(63)],
  ] as const)
    it(`keeps '${typed.slice(0, 12)}' as '${key.slice(0, 12)}'`, () => expect(roleKey(typed)).to.equal(key));
  for (const typed of ["", " ", "-sales", "_x", "a b", "a".repeat(64), "één"])
    it(`refuses the key '${typed.slice(0, 12)}'`, () => {
      expect(() => roleKey(typed))
        .to.throw()
        .with.nested.property("data.fields.key");
    });

  it("stores each permission once, in order", () => {
    expect(storedPermissions(["leave.request.read:own", "companies.company.read", "leave.request.read:own"])).to.deep.equal([
      "companies.company.read",
      "leave.request.read:own",
    ]);
  });
  for (const wrong of ["*", "unknown.key", "leave.request.read", "companies.company.read:any", ""])
    it(`stores no '${wrong}'`, () => {
      expect(() => storedPermissions(["companies.company.read", wrong]))
        .to.throw()
        .with.nested.property("data.fields.permissions");
    });

  for (const [what, guarded, held] of [
    ["the owner role", true, role("owner", true, "*")],
    ["the administrator role, whatever it was left with", true, role("admin", true)],
    ["a custom role with the management of roles", true, role("hr", false, "settings.roles.manage")],
    ["a custom role that is called admin", false, role("admin", false, "companies.company.read")],
    ["the member role", false, role("member", true, "companies.company.read")],
  ] as const)
    it(`${guarded ? "guards" : "leaves free"} ${what}`, () => expect(isGuarded(held)).to.equal(guarded));

  it("combines roles, sorted; the wildcard is alone", () => {
    expect(unionOf([role("a", false, "b", "a"), role("c", false, "a", "c")])).to.deep.equal(["a", "b", "c"]);
    expect(unionOf([role("a", false, "b"), role("owner", true, "*")])).to.deep.equal(["*"]);
  });

  it("names granted and revoked permissions", () => {
    expect(permissionChanges(["a", "b"], ["b", "c"])).to.deep.equal({ granted: ["c"], revoked: ["a"] });
  });
});

describe("merging preferences", () => {
  for (const [what, before, sent, after] of [
    [
      "object onto object, one level deep",
      { list: { sort: "name", columns: { a: 1 } } },
      { list: { columns: { b: 2 } } },
      { list: { sort: "name", columns: { b: 2 } } },
    ],
    ["a value onto an object replaces it", { list: { sort: "name" } }, { list: "compact" }, { list: "compact" }],
    ["an object onto a value replaces it", { list: "compact" }, { list: { sort: "name" } }, { list: { sort: "name" } }],
    ["arrays replace", { order: [1, 2] }, { order: [3] }, { order: [3] }],
    ["null is stored as null", { theme: "dark" }, { theme: null }, { theme: null }],
    ["everything else stays", { a: 1, b: { c: 2 } }, { d: 3 }, { a: 1, b: { c: 2 }, d: 3 }],
  ] as const)
    it(what, () => expect(mergedPrefs(before, sent)).to.deep.equal(after));

  it("treats a name that objects inherit like any other", () => {
    const sent = JSON.parse('{"__proto__": {"a": 1}, "constructor": {"b": 2}}');
    expect(JSON.stringify(mergedPrefs({}, sent))).to.equal('{"__proto__":{"a":1},"constructor":{"b":2}}');
  });
});
