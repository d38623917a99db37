import { expect } from "chai";
import { readParameters } from "../../../cli/console/parameters.ts";

describe("parameters typed at the console", () => {
  for (const [typed, read] of [
    ["", {}],
    ['{"limit": 2, "query": {"status": "lead"}}', { limit: 2, query: { status: "lead" } }],
    ["--limit 3 --sort -updated_at", { limit: 3, sort: "-updated_at" }],
    ["--sort=-updated_at --offset=0", { sort: "-updated_at", offset: 0 }],
    ["--query.status lead --query.position -1", { query: { status: "lead", position: -1 } }],
    ["--all --mine false", { all: true, mine: false }],
    ["--name \"Bakkerij 'Jansen'\" --city 'Den Haag'", { name: "Bakkerij 'Jansen'", city: "Den Haag" }],
    ["--number 0012 --hours 7.50", { number: "0012", hours: "7.50" }],
  ] as const)
    it(`reads ${typed || "nothing"}`, () => {
      expect(readParameters(typed)).to.deep.equal(read);
    });

  for (const typed of ["{limit}", "[1]", "3", '"text"', "limit 3", "--limit 3 4"])
    it(`refuses ${typed}`, () => {
      expect(() => readParameters(typed)).to.throw(/one JSON object|is not a flag/);
    });
});
