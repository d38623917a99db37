import { expect } from "chai";
import { chosenTemplate } from "../../../services/reporting/templates/chosen-template.ts";
import { chosenTone } from "../../../services/reporting/tones/chosen-tone.ts";
import { HOUSE_TONE } from "../../../services/reporting/tones/house-tone.ts";
import { tidyPhrases } from "../../../services/reporting/tones/phrases.ts";
import { toneKey } from "../../../services/reporting/tones/tone-key.ts";

describe("the key of a tone (workspace-reporting §1.1)", () => {
  const rows: [name: string, taken: string[], expected: string][] = [
    ["Warm en zakelijk", [], "warm-en-zakelijk"],
    ["  --Ünïque & Co.!  ", [], "n-que-co"],
    ["A_b  C", [], "a-b-c"],
    ["日本", [], "tone"],
    ["!!!", ["tone"], "tone-2"],
    ["Warm", ["warm"], "warm-2"],
    ["Warm", ["warm", "warm-2", "warm-3"], "warm-4"],
    ["Warm", ["warm", "warm-3"], "warm-2"],
    ["x".repeat(100), [], "x".repeat(64)],
    ["x".repeat(100), ["x".repeat(64)], `${"x".repeat(62)}-2`],
    [`${"x".repeat(63)} y`, [], "x".repeat(63)],
    [`${"x".repeat(61)} yy`, [`${"x".repeat(61)}-yy`], `${"x".repeat(61)}-2`],
  ];
  for (const [name, taken, expected] of rows)
    it(`of ${JSON.stringify(name)} is ${expected}${taken.length > 0 ? ", as others are in use" : ""}`, () => {
      expect(toneKey(name, new Set(taken))).to.equal(expected);
    });

  it("never has more than 64 characters, for any number in use", () => {
    const taken = new Set<string>();
    for (let count = 0; count < 120; count += 1) taken.add(toneKey("y".repeat(160), taken));
    expect(taken.size).to.equal(120);
    expect([...taken].filter((key) => key.length > 64)).to.deep.equal([]);
  });
});

describe("the phrases of a tone", () => {
  it("are trimmed, blanks dropped", () => {
    expect(tidyPhrases(["  a b ", "", " \t\n", "c\r"])).to.deep.equal(["a b", "c"]);
    expect(tidyPhrases()).to.deep.equal([]);
  });
});

describe("the tone of a run (workspace-reporting §1.1)", () => {
  const tone = (id: string, more: { is_default?: boolean; active?: boolean } = {}) => ({
    ...HOUSE_TONE.nl,
    ...{ id, name: id, is_default: false, active: true },
    ...more,
  });
  const rows: [what: string, tones: ReturnType<typeof tone>[], own: string | null, expected: string][] = [
    ["the client's own", [tone("a", { is_default: true }), tone("b")], "b", "b"],
    ["the default where the client's own is inactive", [tone("a", { is_default: true }), tone("b", { active: false })], "b", "a"],
    ["the default where the client has none", [tone("b"), tone("a", { is_default: true })], null, "a"],
    ["that of the house where the default is inactive", [tone("a", { is_default: true, active: false })], null, "Standaard"],
    ["that of the house where none is the default", [tone("a")], null, "Standaard"],
    ["that of the house before anybody opened the settings (S31)", [], null, "Standaard"],
  ];
  for (const [what, tones, own, expected] of rows)
    it(`is ${what}`, () => {
      expect(chosenTone(tones, own, "nl").name).to.equal(expected);
    });
});

describe("the template of a run (workspace-reporting §1.2)", () => {
  const template = (id: string, more: { audience?: string; is_default?: boolean; created_at?: string } = {}) => ({
    ...{ id, audience: "client", is_default: false, created_at: `2026-01-0${id}T00:00:00Z` },
    ...more,
  });
  const rows: [what: string, templates: ReturnType<typeof template>[], own: string | null, expected: string | undefined][] = [
    ["the client's own", [template("1", { is_default: true }), template("2")], "2", "2"],
    ["the marked default", [template("1"), template("2", { is_default: true })], null, "2"],
    ["the oldest where none is marked", [template("3"), template("1"), template("2")], null, "1"],
    ["never one of another audience", [template("1", { audience: "internal", is_default: true }), template("2")], "1", "2"],
    ["the plain shipped design where there is none", [template("1", { audience: "internal" })], null, undefined],
  ];
  for (const [what, templates, own, expected] of rows)
    it(`is ${what}`, () => {
      expect(chosenTemplate(templates, "client", own)?.id).to.equal(expected);
    });
});
