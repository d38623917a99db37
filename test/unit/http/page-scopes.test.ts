import { expect } from "chai";
import { permissions, storedGrants } from "../../../core/declare/permissions.ts";
import {
  chosenScopes,
  groupName,
  namedGroups,
  namedPermissions,
  scopeGroups,
  scopeName,
} from "../../../services/api/pages/consent/scopes.ts";

const REACH = { own: "one's own only", any: "everybody's" };

describe("scopes of a page", () => {
  it("have a name in both languages, and no two of a group the same", () => {
    expect([...namedPermissions.keys()].sort()).to.deep.equal(
      permissions()
        .map(({ key }) => key)
        .sort(),
    );
    expect([...namedGroups.keys()].sort()).to.deep.equal([...new Set(permissions().map(({ group }) => group))].sort());
    for (const locale of ["nl", "en"] as const)
      for (const { group, scopes } of scopeGroups(["*"])) {
        const names = scopes.map((scope) => scopeName(locale, scope, REACH));
        expect(new Set(names).size, `${group} in ${locale}`).to.equal(names.length);
        for (const name of [...names, groupName(locale, group)]) expect(name).to.match(/^[A-Z][^_:]*$/);
      }
  });

  it("are the person's permissions in groups, every one for an owner", () => {
    expect(scopeGroups(["companies.company.read", "leave.request.read:own"])).to.deep.equal([
      { group: "companies", scopes: ["companies.company.read"] },
      { group: "leave", scopes: ["leave.request.read:own"] },
    ]);
    expect(scopeGroups(["*"]).flatMap(({ scopes }) => scopes)).to.have.members([...storedGrants()]);
    expect(scopeGroups([])).to.deep.equal([]);
  });

  it("are chosen one by one or as a group, each once and as broadly as it is offered", () => {
    const offered = scopeGroups(["*"]);
    const hr = chosenScopes(offered, [], ["hr"]);
    expect(hr).to.have.members(["hr.dossier.read:any", "hr.document.manage"]);
    expect(chosenScopes(offered, ["hr.dossier.read:own"], ["hr"])).to.have.members([...hr, "hr.dossier.read:own"]);
    expect(chosenScopes(scopeGroups(["hr.dossier.read:own"]), [], ["hr", "nothing"])).to.deep.equal(["hr.dossier.read:own"]);
    expect(chosenScopes(offered, ["x", "x"], [])).to.deep.equal(["x"]);
  });
});
