import { expect } from "chai";
import { RouteTable } from "../../../core/http/route-table.ts";

describe("the table of routes", () => {
  const table = new RouteTable<string>();
  for (const route of [
    "GET /companies",
    "POST /companies",
    "GET /companies/:company_id",
    "DELETE /companies/:company_id",
    "GET /companies/groups",
    "POST /companies/groups",
    "PUT /companies/groups/:group_id/companies",
    "GET /companies/:company_id/panels",
    "GET /leave/:year/requests/:request_id",
    "PATCH /leave/:leave_year/requests/:id",
  ]) {
    const [method = "", path = ""] = route.split(" ");
    table.add(method, path, route);
  }

  const found: [string, string, string | null, object?][] = [
    ["GET", "/companies", "GET /companies", {}],
    ["GET", "/companies/", "GET /companies", {}],
    ["GET", "/companies/7", "GET /companies/:company_id", { company_id: "7" }],
    ["GET", "/companies/a%20b", "GET /companies/:company_id", { company_id: "a b" }],
    ["GET", "/companies/groups", "GET /companies/groups", {}],
    ["DELETE", "/companies/groups", null],
    ["GET", "/companies/7/panels", "GET /companies/:company_id/panels", { company_id: "7" }],
    ["GET", "/leave/2026/requests/9", "GET /leave/:year/requests/:request_id", { year: "2026", request_id: "9" }],
    ["PATCH", "/leave/2026/requests/9", "PATCH /leave/:leave_year/requests/:id", { leave_year: "2026", id: "9" }],
    ["GET", "/Companies", null],
    ["GET", "/nowhere", null],
    ["TRACE", "/companies", null],
  ];
  for (const [method, path, value, parameters] of found)
    it(`${method} ${path} is ${value ?? "none"}`, () => {
      expect(table.find(method, path)).to.deep.equal(value === null ? null : { value, parameters });
    });

  it("names the methods of a path, and of no other that matches a parameter of it", () => {
    expect(table.methodsOf("/companies")).to.deep.equal(["GET", "POST"]);
    expect(table.methodsOf("/companies/7")).to.deep.equal(["GET", "DELETE"]);
    expect(table.methodsOf("/companies/groups")).to.deep.equal(["GET", "POST"]);
    expect(table.methodsOf("/companies/groups/7/companies")).to.deep.equal(["PUT"]);
    expect(table.methodsOf("/nowhere")).to.deep.equal([]);
  });
});
