import { expect } from "chai";
import { arrangedSections, sectionsFor, wholeLayout } from "../../../services/reporting/sections/layout.ts";

const catalogue = ["a", "b", "c", "d"].map((key) => ({ key }));
type Mention = string | { key: string; enabled?: boolean; label_i18n?: Record<string, string> };

describe("a layout is a difference, not a list (workspace-reporting §1.3)", () => {
  const rows: [what: string, mentions: Mention[], own: Record<string, boolean>, expected: string][] = [
    ["nothing mentioned: the catalogue in its order", [], {}, "a b c d"],
    ["those mentioned come first, in the given order", ["c", "a"], {}, "c a b d"],
    ["enabled: false is dropped", ["c", { key: "a", enabled: false }], {}, "c b d"],
    ["unknown keys are skipped", ["x", "d"], {}, "d a b c"],
    ["of repeats the first counts", ["b", { key: "b", enabled: false }, "b"], {}, "b a c d"],
    ["of repeats the first counts, also where it is off", [{ key: "b", enabled: false }, "b"], {}, "a c d"],
    ["the client turns one off", ["c"], { c: false, b: false }, "a d"],
    [
      "the client turns one on that the template dropped, at the template's place",
      ["d", { key: "c", enabled: false }, "b"],
      { c: true },
      "d c b a",
    ],
    ["the client's choice never moves one", ["d"], { a: true, b: true }, "d a b c"],
    ["the client names what is not there", [], { x: true, y: false }, "a b c d"],
    ["everything off", [], { a: false, b: false, c: false, d: false }, ""],
  ];
  for (const [what, mentions, own, expected] of rows)
    it(what, () => {
      const sections = mentions.map((mention) => (typeof mention === "string" ? { key: mention } : mention));
      const arranged = arrangedSections(catalogue, wholeLayout({ sections }), own);
      expect(arranged.map(({ key }) => key).join(" ")).to.equal(expected);
    });

  it("begins with the summary, unless it mentions the summary or turns it off", () => {
    const all = [{ key: "reporting.summary" }, ...catalogue];
    const keysOf = (sections: { key: string; enabled?: boolean }[], own: Record<string, boolean> = {}) =>
      arrangedSections(all, wholeLayout({ sections }), own).map(({ key }) => key);
    expect(keysOf([{ key: "c" }])).to.deep.equal(["reporting.summary", "c", "a", "b", "d"]);
    expect(keysOf([{ key: "c" }, { key: "reporting.summary" }])).to.deep.equal(["c", "reporting.summary", "a", "b", "d"]);
    expect(keysOf([{ key: "reporting.summary", enabled: false }])).to.deep.equal(["a", "b", "c", "d"]);
    expect(keysOf([], { "reporting.summary": false })).to.deep.equal(["a", "b", "c", "d"]);
  });

  it("keeps the names that the template gives", () => {
    const layout = wholeLayout({ sections: [{ key: "b", label_i18n: { nl: "Bezoek" } }] });
    expect(arrangedSections(catalogue, layout).slice(0, 2)).to.deep.equal([
      { key: "b", labels: { nl: "Bezoek" } },
      { key: "a", labels: {} },
    ]);
  });

  it("is not fooled by names that every object has", () => {
    expect(arrangedSections([{ key: "constructor" }], wholeLayout({}), {})).to.have.length(1);
  });

  it("is completed with its defaults", () => {
    expect(wholeLayout({ sections: [{ key: "a" }] })).to.deep.equal({ sections: [{ key: "a", enabled: true, label_i18n: {} }] });
    expect(wholeLayout(undefined)).to.deep.equal({ sections: [] });
  });

  it("leaves sections of another audience out", () => {
    const all = (["client", "internal", "both"] as const).map((audience) => ({ audience }));
    expect(sectionsFor(all, "client").map(({ audience }) => audience)).to.deep.equal(["client", "both"]);
    expect(sectionsFor(all, "internal").map(({ audience }) => audience)).to.deep.equal(["internal", "both"]);
  });
});
