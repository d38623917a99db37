import { expect } from "chai";
import fc from "fast-check";
import { type Assignee, primaryOf, readRoster } from "../../../core/rules/roster.ts";
import { createdRoster, projectRoster, rosterChange, taskRoster } from "../../../services/work/rosters/roster.ts";
import { CASES, id, refused } from "./support.ts";

const [A, B, C] = [id("a"), id("b"), id("c")];

/** `a* b` is a roster with A as the starred one and with B. */
const roster = (text: string): Assignee[] =>
  text.split(" ").flatMap((word) => (word ? [{ user_id: id(word[0] as string), is_primary: word.endsWith("*") }] : []));
const written = (people: readonly Assignee[] | null): string | null =>
  people
    ?.map(({ user_id, is_primary }) => `${String.fromCharCode(Number.parseInt(user_id.slice(6, 8), 16))}${is_primary ? "*" : ""}`)
    .join(" ") ?? null;

describe("work rosters: on create", () => {
  it("takes the list, else the one person, else leaves it to be inherited", () => {
    expect(written(createdRoster({ assignees: roster("b a*") }, C))).to.equal("b a*");
    expect(written(createdRoster({ assignees: roster("b a") }, undefined))).to.equal("b* a");
    expect(written(createdRoster({ assignees: [] }, A))).to.equal("");
    expect(written(createdRoster({}, A.toUpperCase()))).to.equal("a*");
    expect(written(createdRoster({ assignees: null }, A))).to.equal("a*");
    for (const nothing of [null, undefined]) expect(createdRoster({ assignees: nothing }, nothing)).to.equal(null);
  });

  it("refuses two stars", () => {
    const sent = { assignees: roster("a* b*") };
    expect(refused(() => createdRoster(sent, null))).to.equal("multiple_primary_assignees");
    expect(refused(() => projectRoster([], sent))).to.equal("multiple_primary_assignees");
    expect(refused(() => taskRoster([], sent))).to.equal("multiple_primary_assignees");
  });
});

describe("work rosters: on update", () => {
  const rows: [what: string, before: string, assignees: string | null | undefined, mirror: string | null | undefined, project: string | null, task: string | null][] = [
    ["nothing sent", "a* b", undefined, undefined, null, null],
    ["a list", "a* b", "c", undefined, "c*", "c*"],
    ["a list and a person: the list counts", "a* b", "c b*", A, "c b*", "c b*"],
    ["an empty list", "a* b", "", undefined, "", ""],
    ["null for a list", "a* b", null, undefined, "", ""],
    ["the list it has", "a* b", "b a*", undefined, null, null],
    ["the same people, another star", "a* b", "a b*", undefined, "a b*", "a b*"],
    ["a person present", "a* b", undefined, B, "a b*", "b*"],
    ["a person absent", "a* b", undefined, C, "c* a b", "c*"],
    ["the starred person, with others beside", "a* b", undefined, A, null, "a*"],
    ["the starred person alone", "a*", undefined, A.toUpperCase(), null, null],
    ["null for a person", "a* b", undefined, null, "a b", ""],
    ["null for a person, on an empty roster", "", undefined, null, null, null],
  ]; // biome-ignore format: a table
  for (const [what, before, list, mirror, project, task] of rows)
    it(what, () => {
      const assignees = list === undefined || list === null ? list : roster(list);
      expect(written(projectRoster(roster(before), { assignees, responsible_user_id: mirror }))).to.equal(project);
      expect(written(taskRoster(roster(before), { assignees, assignee_user_id: mirror }))).to.equal(task);
    });

  const changes: [before: string, after: string, change: ReturnType<typeof rosterChange>][] = [
    ["a* b", "a* b", { added: [], removed: [], from: A, to: A, others_only: false }],
    ["a* b", "a* c", { added: [C], removed: [B], from: A, to: A, others_only: true }],
    ["a*", "a* c b", { added: [C, B], removed: [], from: A, to: A, others_only: true }],
    ["a* b", "a b*", { added: [], removed: [], from: A, to: B, others_only: false }],
    ["a* b", "c*", { added: [C], removed: [A, B], from: A, to: C, others_only: false }],
    ["", "a*", { added: [A], removed: [], from: null, to: A, others_only: false }],
    ["a b", "a", { added: [], removed: [B], from: null, to: null, others_only: true }],
    ["a*", "", { added: [], removed: [A], from: A, to: null, others_only: false }],
  ]; // biome-ignore format: a table
  for (const [before, after, change] of changes)
    it(`'${before}' becomes '${after}'`, () => {
      expect(rosterChange(roster(before), roster(after))).to.deep.equal(change);
    });
});

describe("work rosters: properties", () => {
  const anyUser = fc.integer({ min: 0, max: 6 }).map((nth) => id("u", nth));
  const anySent = fc
    .tuple(fc.array(anyUser, { maxLength: 8 }), anyUser)
    .map(([users, star]) => users.map((user_id) => ({ user_id, is_primary: user_id === star })));
  const anyBody = fc.record({
    assignees: fc.option(fc.option(anySent), { nil: undefined }),
    person: fc.option(fc.option(anyUser), { nil: undefined }),
  });

  it("a roster that is sent again changes nothing", () => {
    fc.assert(
      fc.property(anySent, anyBody, (sent, { assignees, person }) => {
        const before = readRoster(sent);
        expect(projectRoster(before, { assignees: before.toReversed() })).to.equal(null);
        expect(taskRoster(before, { assignees: before.toReversed() })).to.equal(null);
        expect(projectRoster(before, { responsible_user_id: primaryOf(before) })).to.equal(null);
        for (const write of [
          (roster: Assignee[]) => projectRoster(roster, { assignees, responsible_user_id: person }),
          (roster: Assignee[]) => taskRoster(roster, { assignees, assignee_user_id: person }),
        ]) {
          const once = write(before) ?? before;
          expect(write(once)).to.equal(null);
          const nothing = rosterChange(once, once);
          expect([nothing.added, nothing.removed, nothing.others_only]).to.deep.equal([[], [], false]);
        }
      }),
      CASES,
    );
  });

  it("has at most one star, no person twice, and a mirror that is the person starred", () => {
    fc.assert(
      fc.property(anySent, anyBody, (sent, { assignees, person }) => {
        const before = readRoster(sent);
        for (const after of [
          projectRoster(before, { assignees, responsible_user_id: person }),
          taskRoster(before, { assignees, assignee_user_id: person }),
        ]) {
          if (after === null) continue;
          const stars = after.filter(({ is_primary }) => is_primary);
          expect(stars.length).to.be.at.most(1);
          expect(primaryOf(after)).to.equal(stars[0]?.user_id ?? null);
          expect(new Set(after.map(({ user_id }) => user_id)).size).to.equal(after.length);
          if (assignees === undefined && person) expect(primaryOf(after)).to.equal(person);
        }
      }),
      CASES,
    );
  });

  it("the difference leads from one roster to the other", () => {
    fc.assert(
      fc.property(anySent, anySent, (one, other) => {
        const [before, after] = [readRoster(one), readRoster(other)];
        const { added, removed } = rosterChange(before, after);
        const ids = (people: readonly Assignee[]) => people.map(({ user_id }) => user_id);
        const kept = ids(before).filter((user) => !removed.includes(user));
        expect([...kept, ...added]).to.have.members(ids(after));
        expect(added.some((user) => ids(before).includes(user))).to.equal(false);
      }),
      CASES,
    );
  });
});
