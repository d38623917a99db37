import { expect } from "chai";
import { awaited } from "../../../core/declare/catalogue/awaited.ts";
import { errorCatalogue } from "../../../core/declare/catalogue/catalogue.ts";
import { findPermission, modules, permissions, storedGrants, systemRoles } from "../../../core/declare/permissions.ts";
import frozenErrors from "./frozen/errors.json" with { type: "json" };
import frozen from "./frozen/permissions.json" with { type: "json" };

const keys = new Set(frozen.permissions.map(({ key }) => key));
const stored = new Set(
  frozen.permissions.flatMap(({ key, scopes }) => (scopes.length > 0 ? scopes.map((scope) => `${key}:${scope}`) : [key])),
);
const shownOf = ({ code, status, message }: { code: string; status: number; message: string }) => `${status} ${code} ${message}`;

describe("the merge of modules' declarations", () => {
  it("holds every permission as it was, in the order in which the catalogue shows it", () => {
    const now = permissions().filter(({ key }) => keys.has(key));
    expect(now.map(({ module, built, ...permission }) => permission)).to.deep.equal(frozen.permissions);
  });

  it("stores the grants it did", () => {
    expect([...storedGrants()].filter((grant) => keys.has(grant.replace(/:(own|any)$/, "")))).to.deep.equal([...stored]);
  });

  it("seeds the roles it did", () => {
    const now = systemRoles().map((role) => ({
      ...role,
      grants: role.grants.filter((grant) => grant === "*" || stored.has(grant)),
    }));
    expect(now).to.deep.equal(frozen.roles);
  });

  it("holds every module with its kind, licence and requirements", () => {
    const known = new Set(frozen.modules.map(({ module }) => module));
    const now = modules().filter(({ module }) => known.has(module));
    expect(now.map(({ permanent, ...module }) => module)).to.deep.equal(frozen.modules);
    expect(now.filter(({ permanent }) => permanent).map(({ module }) => module)).to.deep.equal(["companies", "core"]);
  });

  it("has every error, in an order that decides the meaning of a bare code", () => {
    const known = new Set(frozenErrors.errors.map(shownOf));
    const now = errorCatalogue().map(shownOf);
    expect(now.filter((one) => known.has(one))).to.deep.equal(frozenErrors.errors.map(shownOf));
  });

  it("has nothing new except a folder's declarations", () => {
    for (const { key, built } of permissions()) expect(built || keys.has(key), key).to.equal(true);
    const errors = new Set(frozenErrors.errors.map(shownOf));
    for (const error of errorCatalogue()) expect(error.built || errors.has(shownOf(error)), shownOf(error)).to.equal(true);
  });

  it("distinguishes built from planned modules", () => {
    expect(findPermission("companies.company.read")).to.deep.include({ module: "companies", built: true });
    for (const { key, permissions: coming = {} } of awaited)
      for (const permission of Object.keys(coming))
        expect(findPermission(permission)).to.deep.include({ module: key, built: false });
  });
});
