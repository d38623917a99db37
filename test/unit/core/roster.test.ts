import { expect } from "chai";
import {
  type Assignee,
  type Candidate,
  handedOver,
  heirOf,
  newlyNamed,
  nextRoster,
  primaryOf,
  readRoster,
  remainingOf,
  sameRoster,
} from "../../../core/rules/roster.ts";

const [A, B, C] = ["a", "b", "c"].map((letter) => `${letter.repeat(8)}-0000-4000-8000-000000000000`) as [string, string, string];

/** `a* b` is a roster with A as primary and with B. */
const LETTERS: Record<string, string> = { a: A, b: B, c: C };
const roster = (text: string): Assignee[] =>
  text
    .split(" ")
    .flatMap((word) => (word ? [{ user_id: LETTERS[word[0] as string] as string, is_primary: word.endsWith("*") }] : []));
const written = (people: readonly Assignee[] | null): string | null =>
  people?.map(({ user_id: id, is_primary: primary }) => `${id[0]}${primary ? "*" : ""}`).join(" ") ?? null;

describe("roster: a list as sent", () => {
  const rows: [what: string, sent: string, stored: string][] = [
    ["empties", "", ""],
    ["makes a lone entry primary", "a", "a*"],
    ["makes the first entry primary when nobody claims it", "b a c", "b* a c"],
    ["keeps a claim wherever it stands", "a b* c", "a b* c"],
    ["collapses a repeated person", "a b a", "a* b"],
    ["keeps the claim of a repeated person, first time", "b a* a", "b a*"],
    ["keeps the claim of a repeated person, second time", "b a a*", "b a*"],
    ["collapses two claims of one person into one", "a* b a*", "a* b"],
  ];
  for (const [what, sent, stored] of rows)
    it(what, () => {
      expect(written(readRoster(roster(sent)))).to.equal(stored);
    });

  it("reads an entry without claim as plain", () => {
    expect(written(readRoster([{ user_id: A }, { user_id: B, is_primary: true }]))).to.equal("a b*");
  });

  it("takes ids in capitals for the same person", () => {
    expect(written(readRoster([{ user_id: A.toUpperCase(), is_primary: true }, { user_id: A }]))).to.equal("a*");
  });

  for (const sent of ["a* b*", "a* b c*"])
    it(`refuses more than one primary: ${sent}`, () => {
      expect(() => readRoster(roster(sent)))
        .to.throw()
        .with.property("type", "multiple_primary_assignees");
    });
});

describe("roster: the next one", () => {
  const rows: [what: string, before: string, body: Parameters<typeof nextRoster>[1], after: string | null][] = [
    ["is left alone when nothing is sent", "a* b", {}, null],
    ["is replaced whole by a list", "a* b", { assignees: roster("c") }, "c*"],
    ["is emptied by an empty list", "a* b", { assignees: [] }, ""],
    ["is emptied by null", "a* b", { assignees: null }, ""],
    ["moves the star to somebody present", "a* b", { responsible_user_id: B }, "a b*"],
    ["adds a responsible who is absent, the former primary stays", "a* b", { responsible_user_id: C }, "c* a b"],
    ["stars the one person of a create", "", { responsible_user_id: A }, "a*"],
    ["demotes by null and promotes nobody", "a* b", { responsible_user_id: null }, "a b"],
    ["stays empty by null", "", { responsible_user_id: null }, ""],
    ["keeps the star where it is", "a* b", { responsible_user_id: A }, "a* b"],
    ["follows the list when both are sent", "a*", { assignees: roster("b c*"), responsible_user_id: A }, "b c*"],
    ["follows an empty list when both are sent", "a*", { assignees: [], responsible_user_id: A }, ""],
    ["takes a responsible in capitals", "a* b", { responsible_user_id: B.toUpperCase() }, "a b*"],
  ];
  for (const [what, before, body, after] of rows)
    it(what, () => {
      expect(written(nextRoster(roster(before), body))).to.equal(after);
    });
});

describe("roster: primary and equality", () => {
  it("knows the primary, or that there is none", () => {
    expect(primaryOf(roster("a b*"))).to.equal(B);
    expect(primaryOf(roster("a b"))).to.equal(null);
    expect(primaryOf([])).to.equal(null);
  });

  const rows: [one: string, other: string, same: boolean][] = [
    ["", "", true],
    ["a* b", "b a*", true],
    ["a* b", "a b*", false],
    ["a* b", "a*", false],
    ["a*", "a* b", false],
    ["a", "b", false],
    ["a", "a*", false],
  ];
  for (const [one, other, same] of rows)
    it(`'${one}' and '${other}' are ${same ? "the same" : "different"}`, () => {
      expect(sameRoster(roster(one), roster(other))).to.equal(same);
    });
});

describe("roster: the people whom a write newly names", () => {
  const rows: [what: string, before: string, after: string, named: string][] = [
    ["are none without a change", "a* b", "a* b", ""],
    ["are none when people leave", "a* b c", "a*", ""],
    ["are the added ones", "a*", "a* b c", "b c"],
    ["are the one whom the star moves to", "a* b", "a b*", "b"],
    ["are the one who inherits the star of a person who leaves", "a* b", "b*", "b"],
    ["name an added and starred person once", "a*", "b* a", "b"],
    ["are none when the star is taken away", "a* b", "a b", ""],
  ];
  for (const [what, before, after, named] of rows)
    it(what, () => {
      expect(newlyNamed(roster(before), roster(after))).to.deep.equal(roster(named).map(({ user_id }) => user_id));
    });
});

/** `a*! b` is a roster with A as primary, who cannot get work, and with B, who can. */
const candidates = (text: string): Candidate[] =>
  text.split(" ").flatMap((word) => roster(word.replace("!", "")).map((one) => ({ ...one, is_able: !word.endsWith("!") })));

describe("roster: the heir of new work", () => {
  const rows: [what: string, rosters: string[], heir: string | null, orphaned: boolean][] = [
    ["is the starred person", ["a* b"], A, false],
    ["is the next one where the starred person is inactive", ["a*! b! c"], C, false],
    ["is of the next roster where no one is left", ["a*!", "b*"], B, false],
    ["is the next one of the next roster", ["a*! b!", "b*! c"], C, false],
    ["is of the next roster where the first has no star", ["a b", "c*"], C, false],
    ["is no one where no roster has a star", ["a b", ""], null, false],
    ["is no one where there is no roster", [], null, false],
    ["is missing where all are inactive", ["a*! b!", "c"], null, true],
    ["is missing where the only one is inactive", ["", "c*!"], null, true],
  ];
  for (const [what, rosters, heir, is_orphaned] of rows)
    it(what, () => expect(heirOf(...rosters.map(candidates))).to.deep.equal({ heir, is_orphaned }));
});

describe("roster: the people who remain", () => {
  const rows: [roster: string, left: string][] = [
    ["a* b", "a* b"],
    ["a* b!", "a*"],
    ["a*! b c", "b* c"],
    ["a! b*", "b*"],
    ["a*!", ""],
    ["", ""],
  ];
  for (const [before, left] of rows)
    it(`of '${before}' are '${left}'`, () => expect(written(remainingOf(candidates(before)))).to.equal(left));
});

describe("roster: handed over", () => {
  for (const [before, after] of [
    ["a* b", "c* b"],
    ["b* a", "b* c"],
    ["b*", "b*"],
    ["a* c", "c*"],
    ["c* a", "c*"],
  ] as const)
    it(`from a to c: '${before}' is '${after}'`, () =>
      expect(written(readRoster(handedOver(roster(before), A, C)))).to.equal(after));
});
