import { expect } from "chai";
import type { ApiError } from "../../../core/errors/errors.ts";
import type { NamedPeople } from "../../../services/work/impex/named-people.ts";
import { rosterOfRow } from "../../../services/work/impex/roster-of-row.ts";
import { projectValues } from "../../../services/work/projects/project-values.ts";

describe("a project's stored values", () => {
  const fields = (work: () => unknown): unknown => {
    try {
      return work();
    } catch (error) {
      return ((error as ApiError).data as { fields: unknown }).fields;
    }
  };
  for (const [what, sent, before, wanted] of [
    ["a new one is named unless it says otherwise", { name: "A" }, null, { name: "A", unnamed: false }],
    ["a new placeholder", { name: "A", unnamed: true }, null, { name: "A", unnamed: true }],
    ["a name ends a placeholder", { name: "A" }, { unnamed: true }, { name: "A", unnamed: false }],
    ["anything else leaves it", { color: "red" }, { unnamed: true }, { color: "red" }],
    ["an update never makes one", { unnamed: true }, { unnamed: false }, {}],
    [
      "budgets are rounded half up",
      { budget_hours: 1.005, budget_amount: 2.344 },
      { unnamed: false },
      { budget_hours: 1.01, budget_amount: 2.34 },
    ],
    ["budgets go", { budget_hours: null, budget_amount: null }, { unnamed: false }, { budget_hours: null, budget_amount: null }],
    ["blank texts go", { color: " ", description: " <i></i>" }, { unnamed: false }, { color: null, description: null }],
    ["the roster is no column", { assignees: [], responsible_user_id: null }, { unnamed: false }, {}],
    ["a blank name", { name: " " }, { unnamed: false }, { name: "errors.validation" }],
    ["no client", { company_id: null }, { unnamed: false }, { company_id: "errors.projects_company_required" }],
    [
      "all that is wrong at once",
      { name: " ", company_id: null, custom: { x: 1 } },
      { unnamed: false },
      { name: "errors.validation", company_id: "errors.projects_company_required", x: "customfields.errors.unknown_field" },
    ],
  ] as [string, object, { unnamed: boolean } | null, object][])
    it(`: ${what}`, () => {
      expect(fields(() => projectValues(sent, before))).to.deep.equal(wanted);
    });
});

describe("the roster a row of a file asks for", () => {
  const ids = new Map([
    ["a@x", "a"],
    ["b@x", "b"],
    ["c@x", "c"],
  ]);
  const people = {
    of: (word: string) => (ids.has(word) ? { id: ids.get(word) } : { error: "unknown" }),
  } as unknown as NamedPeople;
  const roster = (text: string) =>
    text.split("").flatMap((letter) => (letter === "*" ? [] : [{ user_id: letter, is_primary: text.includes(`*${letter}`) }]));
  const shown = (assignees: { user_id: string; is_primary: boolean }[] | undefined) =>
    assignees?.map(({ user_id, is_primary }) => (is_primary ? `*${user_id}` : user_id)).join("");

  for (const [before, assignees, responsible, wanted] of [
    [null, undefined, undefined, undefined],
    [null, ["a@x", "b@x"], undefined, "*ab"],
    [null, ["a@x", "b@x"], "b@x", "a*b"],
    [null, undefined, "b@x", "*b"],
    [null, ["a@x"], "b@x", "a*b"],
    [null, ["a@x, b@x", " "], undefined, "*ab"],
    ["*ab", undefined, undefined, undefined],
    ["*ab", ["b@x", "a@x"], undefined, undefined],
    ["*ab", ["a@x", "b@x"], "a@x", undefined],
    ["*ab", ["a@x", "b@x"], "b@x", "a*b"],
    ["*ab", undefined, "b@x", "a*b"],
    ["*ab", undefined, "c@x", "ab*c"],
    ["*ab", ["b@x", "c@x"], undefined, "*bc"],
    ["a*b", ["c@x", "b@x"], undefined, "c*b"],
    ["ab", ["a@x", "b@x"], undefined, undefined],
    ["ab", ["a@x", "b@x"], "a@x", "*ab"],
  ] as [string | null, string[] | undefined, string | undefined, string | undefined][])
    it(`of ${before ?? "a new project"} with ${assignees?.join(" and ") ?? "no list"}, ${responsible ?? "no star"} is ${wanted ?? "as it was"}`, () => {
      const row = { ...(assignees && { assignees }), ...(responsible !== undefined && { responsible }) };
      const found = rosterOfRow(row, people, before === null ? null : roster(before));
      expect("assignees" in found ? shown(found.assignees) : found).to.equal(wanted);
    });

  it("names who is not there by the column", () => {
    expect(rosterOfRow({ assignees: ["a@x", "z@x"], responsible: "y@x" }, people, null)).to.deep.equal({
      refused: { assignees: "unknown", responsible: "unknown" },
    });
  });
});
