import { expect } from "chai";
import {
  defaultStatus,
  initialStatus,
  type MoveFacts,
  type StatusRules,
  type TaskPatch,
  type TaskState,
  taskMove,
} from "../../../services/work/statuses/status-moves.ts";
import { id, refused } from "./support.ts";

const status = (key: string, over: Partial<StatusRules> = {}): StatusRules => ({
  key,
  position: 0,
  is_terminal: false,
  is_default: false,
  requires_interaction: false,
  ...over,
});

const STATUSES = [
  status("open", { is_default: true }),
  status("busy", { position: 1 }),
  status("asked", { position: 2, requires_interaction: true }),
  status("done", { position: 3, is_terminal: true }),
  status("billed", { position: 4, is_terminal: true }),
  status("delivered", { position: 5, is_terminal: true, requires_interaction: true }),
];
const NOW = "2026-07-09T10:00:00Z";
const BEFORE = "2026-07-01T08:00:00Z";
const MOMENT = id("m", 1);
const OTHER = id("m", 2);
const facts: MoveFacts = { statuses: STATUSES, closing_moment_linked: true, now: NOW };

const OPEN: TaskState = {
  status: "open",
  due_date: null,
  requires_interaction: false,
  completed_at: null,
  closing_interaction_id: null,
};
const DONE: TaskState = { ...OPEN, status: "done", completed_at: BEFORE };

const changes = (before: TaskState, patch: TaskPatch, over: Partial<MoveFacts> = {}) =>
  taskMove(before, patch, { ...facts, ...over }).changes;
const why = (before: TaskState, patch: TaskPatch, over: Partial<MoveFacts> = {}) =>
  refused(() => taskMove(before, patch, { ...facts, ...over }));

const REASON = "due_change_reason=errors.due_reason_required";
const NOT_LINKED = "closing_interaction_id=errors.tasks_closing_interaction_not_linked";
const REQUIRED = "status=errors.tasks_closing_interaction_required";
const NOT_FINISHING = "log_time=errors.tasks_log_time_not_finishing";

describe("status moves: completion", () => {
  const rows: [what: string, before: TaskState, patch: TaskPatch, changed: Partial<TaskState>][] = [
    ["nothing sent", OPEN, {}, {}],
    ["open to finished", OPEN, { status: "done" }, { status: "done", completed_at: NOW }],
    ["finished to open", DONE, { status: "busy" }, { status: "busy", completed_at: null }],
    ["finished to finished", DONE, { status: "billed" }, { status: "billed" }],
    ["open to open", OPEN, { status: "busy" }, { status: "busy" }],
    ["the current status again", OPEN, { status: "open" }, {}],
    ["the current finished status again", DONE, { status: "done" }, {}],
    ["other fields of a finished task", DONE, { requires_interaction: true }, { requires_interaction: true }],
    [
      "a status whose key is gone counts as open",
      { ...OPEN, status: "gone" },
      { status: "done" },
      { status: "done", completed_at: NOW },
    ],
  ];
  for (const [what, before, patch, changed] of rows)
    it(what, () => {
      expect(changes(before, patch)).to.deep.equal(changed);
    });

  it("names the change of status, finished only from open", () => {
    const moved = (before: TaskState, to: string) => taskMove(before, { status: to }, facts).status_changed;
    expect(moved(OPEN, "done")).to.deep.equal({ from: "open", to: "done", finished: true });
    expect(moved(DONE, "billed")).to.deep.equal({ from: "done", to: "billed", finished: false });
    expect(moved(DONE, "open")).to.deep.equal({ from: "done", to: "open", finished: false });
    expect(moved(OPEN, "open")).to.equal(null);
    expect(taskMove(OPEN, {}, facts).status_changed).to.equal(null);
  });

  it("refuses an unknown status", () => {
    expect(why(OPEN, { status: "nope" })).to.equal("status=errors.validation");
  });
});

describe("status moves: due date", () => {
  const due = (due_date: string | null): TaskState => ({ ...OPEN, due_date });
  const rows: [what: string, before: string | null, patch: TaskPatch, refusal: string | null][] = [
    ["later without a reason", "2026-07-01", { due_date: "2026-07-02" }, REASON],
    ["later with a blank reason", "2026-07-01", { due_date: "2026-07-02", due_change_reason: " \n" }, REASON],
    ["later with null for a reason", "2026-07-01", { due_date: "2026-07-02", due_change_reason: null }, REASON],
    ["later with a reason", "2026-07-01", { due_date: "2026-07-02", due_change_reason: "ill" }, null],
    ["earlier", "2026-07-01", { due_date: "2026-06-30" }, null],
    ["the same", "2026-07-01", { due_date: "2026-07-01" }, null],
    ["a first date", null, { due_date: "2026-07-01" }, null],
    ["cleared", "2026-07-01", { due_date: null }, null],
    ["left alone", "2026-07-01", { due_change_reason: "none needed" }, null],
  ];
  for (const [what, before, patch, refusal] of rows)
    it(what, () => {
      expect(why(due(before), patch)).to.equal(refusal);
    });

  it("changes it and names the extension with its reason", () => {
    const move = taskMove(due("2026-07-01"), { due_date: "2026-07-02", due_change_reason: " ill " }, facts);
    expect(move.changes).to.deep.equal({ due_date: "2026-07-02" });
    expect(move.due_extended).to.deep.equal({ from: "2026-07-01", to: "2026-07-02", reason: "ill" });
    expect(taskMove(due("2026-07-01"), { due_date: null, due_change_reason: "x" }, facts)).to.deep.include({
      changes: { due_date: null },
      due_extended: null,
    });
  });
});

describe("status moves: closing moment", () => {
  const policy = { ...OPEN, requires_interaction: true };
  const closed = { ...DONE, closing_interaction_id: MOMENT };
  const rows: [what: string, before: TaskState, patch: TaskPatch, refusal: string | null][] = [
    ["a status that requires one, without", OPEN, { status: "delivered" }, REQUIRED],
    ["an open status that requires one, without", OPEN, { status: "asked" }, REQUIRED],
    ["a status that requires one, sent", OPEN, { status: "delivered", closing_interaction_id: MOMENT }, null],
    ["a status that requires one, stored", { ...OPEN, closing_interaction_id: MOMENT }, { status: "delivered" }, null],
    ["one that is taken away in the same update", { ...OPEN, closing_interaction_id: MOMENT }, { status: "delivered", closing_interaction_id: null }, REQUIRED],
    ["a task that requires one, finished without", policy, { status: "done" }, REQUIRED],
    ["a task that requires one, finished with", policy, { status: "done", closing_interaction_id: MOMENT }, null],
    ["a task that comes to require one", OPEN, { status: "done", requires_interaction: true }, REQUIRED],
    ["a task that no longer requires one", policy, { status: "done", requires_interaction: false }, null],
    ["a task that requires one, moved on while open", policy, { status: "busy" }, null],
    ["between finished statuses of a task that requires one", { ...closed, requires_interaction: true }, { status: "billed" }, null],
    ["between finished statuses without one", { ...DONE, requires_interaction: true }, { status: "billed" }, REQUIRED],
    ["a finished task that comes to require one", DONE, { requires_interaction: true }, null],
    ["the status it has, sent again", { ...OPEN, status: "asked" }, { status: "asked" }, null],
    ["reopened to a status that requires one: the stored one does not count", closed, { status: "asked" }, REQUIRED],
    ["reopened to a status that requires one, sent", closed, { status: "asked", closing_interaction_id: OTHER }, null],
  ]; // biome-ignore format: a table
  for (const [what, before, patch, refusal] of rows)
    it(`${what}: ${refusal === null ? "passes" : "is refused"}`, () => {
      expect(why(before, patch)).to.equal(refusal);
    });

  it("must be linked to the task", () => {
    const apart = { closing_moment_linked: false };
    expect(why(OPEN, { closing_interaction_id: MOMENT }, apart)).to.equal(NOT_LINKED);
    expect(why(OPEN, { closing_interaction_id: null }, apart)).to.equal(null);
    expect(why(OPEN, { title: "x" } as TaskPatch, apart)).to.equal(null);
  });

  it("is stored, kept between finished statuses, and cleared on leaving them", () => {
    expect(changes(OPEN, { closing_interaction_id: MOMENT })).to.deep.equal({ closing_interaction_id: MOMENT });
    expect(changes(closed, { status: "billed" })).to.deep.equal({ status: "billed" });
    expect(changes({ ...OPEN, closing_interaction_id: MOMENT }, { status: "busy" })).to.deep.equal({ status: "busy" });
    const reopened = { status: "open", completed_at: null, closing_interaction_id: null };
    expect(changes(closed, { status: "open" })).to.deep.equal(reopened);
    expect(changes(closed, { status: "open", closing_interaction_id: MOMENT })).to.deep.equal(reopened);
    expect(changes(closed, { status: "asked", closing_interaction_id: OTHER })).to.deep.equal({
      status: "asked",
      completed_at: null,
      closing_interaction_id: OTHER,
    });
    expect(changes(closed, { closing_interaction_id: null })).to.deep.equal({ closing_interaction_id: null });
  });
});

describe("status moves: log_time", () => {
  const rows: [what: string, before: TaskState, patch: TaskPatch, refusal: string | null][] = [
    ["with finishing", OPEN, { status: "done", log_time: {} }, null],
    ["without a status", OPEN, { log_time: {} }, NOT_FINISHING],
    ["with an open status", OPEN, { status: "busy", log_time: {} }, NOT_FINISHING],
    ["with the finished status it has", DONE, { status: "done", log_time: {} }, NOT_FINISHING],
    ["between finished statuses", DONE, { status: "billed", log_time: {} }, NOT_FINISHING],
    ["null", OPEN, { log_time: null }, null],
  ];
  for (const [what, before, patch, refusal] of rows)
    it(what, () => {
      expect(why(before, patch)).to.equal(refusal);
    });
});

describe("status moves: the order of refusals", () => {
  it("is the table's", () => {
    const before = { ...OPEN, due_date: "2026-07-01", requires_interaction: true };
    const apart = { closing_moment_linked: false };
    const patch: TaskPatch = { status: "asked", due_date: "2026-07-02", closing_interaction_id: MOMENT, log_time: {} };
    expect(why(before, { ...patch, status: "nope" }, apart)).to.equal("status=errors.validation");
    expect(why(before, patch, apart)).to.equal(REASON);
    const reasoned = { ...patch, due_change_reason: "x" };
    expect(why(before, reasoned, apart)).to.equal(NOT_LINKED);
    expect(why(before, { ...reasoned, closing_interaction_id: null })).to.equal(REQUIRED);
    expect(why(before, reasoned)).to.equal(NOT_FINISHING);
    expect(why(before, { ...reasoned, log_time: null })).to.equal(null);
  });
});

describe("status moves: a new task", () => {
  const initial = (sent: string | null | undefined, policy = false, statuses = STATUSES) =>
    initialStatus(sent, policy, { statuses, now: NOW });

  it("starts in the default status, or in the one sent", () => {
    for (const sent of [null, undefined]) expect(initial(sent)).to.deep.equal({ status: "open", completed_at: null });
    expect(initial("busy")).to.deep.equal({ status: "busy", completed_at: null });
    expect(initial("done")).to.deep.equal({ status: "done", completed_at: NOW });
  });

  it("may not start where a closing moment is required, nor in an unknown status", () => {
    expect(refused(() => initial("delivered"))).to.equal(REQUIRED);
    expect(refused(() => initial("done", true))).to.equal(REQUIRED);
    expect(refused(() => initial("nope"))).to.equal("status=errors.validation");
    expect(initial("busy", true).status).to.equal("busy");
  });

  it("may start in the default status, whatever that requires", () => {
    const strict = [status("asked", { is_default: true, requires_interaction: true })];
    expect(initialStatus(undefined, true, { statuses: strict, now: NOW }).status).to.equal("asked");
    expect(refused(() => initialStatus("asked", false, { statuses: strict, now: NOW }))).to.equal(REQUIRED);
  });

  it("uses the first by position, then key, as the default if none is marked", () => {
    const unmarked = STATUSES.map((one) => ({ ...one, is_default: false }));
    expect(defaultStatus(unmarked.toReversed())?.key).to.equal("open");
    expect(defaultStatus([status("b"), status("a"), status("c", { position: -1 })])?.key).to.equal("c");
    expect(defaultStatus([status("b"), status("a")])?.key).to.equal("a");
    expect(defaultStatus([status("a"), status("b", { position: 9, is_default: true })])?.key).to.equal("b");
    expect(defaultStatus([])).to.equal(undefined);
  });
});
