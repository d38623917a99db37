import { expect } from "chai";
import {
  type Correspondent,
  clientOf,
  directionOf,
  firstGate,
  GATES,
  type GateFacts,
  type KnownAddress,
  type KnownPeople,
  meet,
  ownerOf,
  rankedContacts,
  statusOf,
} from "../../../services/work/interactions/messages/mailbox-gates.ts";

const AGENCY = "agency";
const contact = (id: string, ...clients: string[]): KnownAddress => ({ contact: { id, clients }, colleague: null });
const addresses = new Map<string, KnownAddress>([
  ["ann@a", { contact: { id: "ann-contact", clients: [AGENCY] }, colleague: "ann" }],
  ["bob@a", { contact: null, colleague: "bob" }],
  ["office@a", contact("office", AGENCY)],
  ["carla@c", contact("carla", "c", "c2")],
  ["dora@d", contact("dora", AGENCY, "d")],
  ["prospect@p", contact("prospect")],
]);
const people: KnownPeople = { addresses, internalClients: new Set([AGENCY]), syncing: new Set(["ann", "bob"]) };
const to = (email: string, role: Correspondent["role"] = "to"): Correspondent => ({ email, name: null, role });
const from = (email: string) => to(email, "from");
const met = (...participants: Correspondent[]) => meet(participants, people);
const facts = (more: Partial<GateFacts> = {}): GateFacts => ({
  isStored: false,
  isSuppressed: false,
  isThreadSuppressed: false,
  isElsewhere: false,
  labels: ["INBOX"],
  isExcluded: false,
  met: met(from("carla@c"), to("ann@a")),
  mailboxOf: "ann",
  people,
  logsInternal: false,
  ...more,
});

describe("the gates of messages of a mailbox (workspace §2.5)", () => {
  /** What closes each gate. */
  const closing: Record<(typeof GATES)[number], Partial<GateFacts>> = {
    already_logged: { isStored: true },
    suppressed_message: { isSuppressed: true },
    not_a_message: { labels: ["DRAFT"] },
    excluded_label: { isExcluded: true },
    suppressed_thread: { isThreadSuppressed: true },
    logged_elsewhere: { isElsewhere: true },
    no_participants: { met: [] },
    deferred_to_owner: { met: met(from("carla@c"), to("bob@a"), to("ann@a", "cc")) },
    internal_only: { met: met(from("ann@a"), to("office@a")) },
    no_external_match: { met: met(from("stranger@s"), to("ann@a")) },
  };

  it("let a message of a client pass", () => expect(firstGate(facts())).to.equal(null));
  for (const [index, gate] of GATES.entries())
    it(`are looked at in their order: ${gate} is number ${index + 1}`, () => {
      expect(firstGate(facts(closing[gate]))?.gate).to.equal(gate);
      // Every later gate that can be closed at the same time changes nothing.
      const later = Object.assign(
        {},
        ...GATES.slice(index)
          .reverse()
          .map((name) => closing[name]),
      );
      expect(firstGate(facts({ ...later, ...closing[gate] }))?.gate).to.equal(gate);
    });
  for (const label of ["DRAFT", "SPAM", "TRASH"])
    it(`take no ${label}`, () => expect(firstGate(facts({ labels: [label] }))?.gate).to.equal("not_a_message"));
  it("say whose message it is", () =>
    expect(firstGate(facts(closing.deferred_to_owner))?.detail).to.deep.equal({ owner: "bob@a" }));
  it("never defer messages sent from the mailbox", () =>
    expect(firstGate(facts({ ...closing.deferred_to_owner, labels: ["SENT"] }))).to.equal(null));
  it("let messages between colleagues pass where the organisation logs them", () =>
    expect(firstGate(facts({ ...closing.internal_only, logsInternal: true }))).to.equal(null));
});

describe("whose message it is (S13)", () => {
  const cases: [string, Correspondent[], string | undefined][] = [
    ["the sender's where that is a colleague", [to("ann@a"), from("bob@a")], "bob"],
    ["the first recipient's in To before Cc", [to("ann@a", "cc"), to("bob@a"), from("carla@c")], "bob"],
    ["nobody's where no colleague is named", [from("carla@c"), to("dora@d")], undefined],
    ["no contact's of the agency without a mailbox", [from("carla@c"), to("office@a")], undefined],
  ];
  for (const [title, participants, owner] of cases)
    it(title, () => expect(ownerOf(met(...participants), people)?.colleague).to.equal(owner));
  it("passes over a colleague whose mailbox is not read", () => {
    const some = { ...people, syncing: new Set(["ann"]) };
    expect(ownerOf(met(from("bob@a"), to("carla@c"), to("ann@a")), some)?.colleague).to.equal("ann");
  });
});

describe("who is an outsider (S11, S12)", () => {
  const cases: [string, string, [boolean, boolean]][] = [
    ["a colleague, contact of the agency or not", "ann@a", [true, false]],
    ["a contact of the agency alone", "office@a", [true, false]],
    ["a contact of a client", "carla@c", [false, true]],
    ["a contact of a client and the agency", "dora@d", [false, true]],
    ["a contact of no client", "prospect@p", [false, true]],
    ["a stranger", "stranger@s", [false, false]],
  ];
  for (const [title, email, expected] of cases)
    it(title, () => {
      const [one] = met(to(email));
      expect([one?.isInternal, one?.isOutsideMatch]).to.deep.equal(expected);
    });
});

describe("the records of a filed message (S14)", () => {
  const all = () => true;
  const cases: [string, Correspondent[], string[], string | null][] = [
    ["the oldest link of the first outsider", [to("ann@a"), from("carla@c")], ["carla", "ann-contact"], "c"],
    ["From before To before Cc", [to("carla@c", "cc"), to("dora@d")], ["dora", "carla"], "d"],
    ["outsiders before insiders", [from("office@a"), to("carla@c", "cc")], ["carla", "office"], "c"],
    ["the agency where all are insiders", [from("ann@a"), to("office@a")], ["ann-contact", "office"], AGENCY],
    ["none for an outsider without one", [from("prospect@p"), to("ann@a")], ["prospect", "ann-contact"], null],
    ["none where nobody is known", [from("stranger@s")], [], null],
  ];
  for (const [title, participants, contacts, client] of cases)
    it(title, () => {
      const people_ = met(...participants);
      expect(rankedContacts(people_).map(({ id }) => id)).to.deep.equal(contacts);
      expect(clientOf(people_, people, all)).to.equal(client);
    });
  it("the next client where the first is out of the owner's sight", () =>
    expect(clientOf(met(from("carla@c")), people, (id) => id !== "c")).to.equal("c2"));
});

describe("how a message is stored", () => {
  it("is outbound if it was sent from the mailbox or by a colleague", () => {
    expect(directionOf(["SENT"], met(from("stranger@s")))).to.equal("outbound");
    expect(directionOf(["INBOX"], met(from("bob@a")))).to.equal("outbound");
    expect(directionOf(["INBOX"], met(from("carla@c"), to("bob@a")))).to.equal("inbound");
  });
  const cases: [approves: boolean, followups: boolean, inherits: boolean, status: string][] = [
    [false, false, false, "pending"],
    [false, false, true, "pending"],
    [false, true, false, "pending"],
    [false, true, true, "logged"],
    [true, false, false, "logged"],
    [true, true, true, "logged"],
  ];
  for (const [approves, approvesFollowups, inherits, status] of cases)
    it(`is ${status} with ${JSON.stringify({ approves, approvesFollowups, inherits })}`, () =>
      expect(statusOf(met(from("carla@c")), inherits, { approves, approvesFollowups })).to.equal(status));
  it("waits between colleagues, for any setting", () =>
    expect(statusOf(met(from("ann@a"), to("bob@a")), true, { approves: true, approvesFollowups: true })).to.equal("pending"));
});
