import { expect } from "chai";
import { indexed, ranked, tellingWords } from "../../../services/api/mcp/search.ts";

const one = (id: string, path: string, summary: string, ...about: string[]) => ({
  id,
  indexed: indexed({ name: [id, path], summary: [summary], about }),
});
const OPERATIONS = [
  one("companies.list", "/companies", "List companies", "q", "status"),
  one("companies.create", "/companies", "Create a company", "name", "city"),
  one("companies.groups.list", "/companies/groups", "List groups of companies"),
  one("invoicing.invoices.list", "/invoicing/invoices", "List invoices and credit notes", "overdue", "company_id"),
  one("leave.requests.create", "/leave/requests", "Ask for leave", "starts_on", "leave_type_id"),
  one("time.entries.create", "/time/entries", "Log time of your own", "minutes", "task_id"),
];
const found = (query: string) => ranked(OPERATIONS, query).map(({ id }) => id);

describe("words of operations", () => {
  it("are those of names and sentences, in one form, without those that are everywhere", () => {
    expect(tellingWords("List the companies of a group")).to.deep.equal(["list", "company", "group"]);
    expect(tellingWords("time.entries leave_type_id createFromTime")).to.deep.equal([
      "time",
      "entry",
      "leave",
      "type",
      "id",
      "create",
      "time",
    ]);
    expect(tellingWords("Business class")).to.deep.equal(["business", "class"].map((word) => word));
  });
});

describe("the search of operations", () => {
  for (const [query, first] of [
    ["list companies", "companies.list"],
    ["create company", "companies.create"],
    ["find a client", "companies.list"],
    ["add a new customer", "companies.create"],
    ["invoices", "invoicing.invoices.list"],
    ["overdue", "invoicing.invoices.list"],
    ["ask for vacation", "leave.requests.create"],
    ["log hours", "time.entries.create"],
    ["invo", "invoicing.invoices.list"],
    ["company group", "companies.groups.list"],
  ] as const)
    it(`finds ${first} first by '${query}'`, () => expect(found(query)[0]).to.equal(first));

  it("finds nothing by words that nothing has", () => {
    expect(found("submarine")).to.deep.equal([]);
    expect(found("")).to.deep.equal([]);
    expect(found("the of a")).to.deep.equal([]);
    for (const word of ["constructor", "__proto__", "toString value"]) expect(found(word), word).to.deep.equal([]);
  });

  it("keeps the input order among equals", () => {
    const equals = ["a.list", "b.list", "c.list"].map((id) => one(id, "/x", "List"));
    expect(ranked(equals, "list").map(({ id }) => id)).to.deep.equal(["a.list", "b.list", "c.list"]);
  });
});
