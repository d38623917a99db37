import { expect } from "chai";
import { TASK_COLUMNS } from "../../../services/work/task-sheets/sheet-columns.ts";
import { type NamedStatus, statusNamed, wordsOfStatuses } from "../../../services/work/task-sheets/sheet-statuses.ts";

const status = (key: string, name: string, over: Partial<NamedStatus> = {}): NamedStatus => ({
  key,
  name,
  position: 0,
  is_terminal: false,
  is_default: false,
  requires_interaction: false,
  ...over,
});

const STATUSES = [
  status("open", "Open", { is_default: true }),
  status("in_progress", "In behandeling", { position: 1 }),
  status("waiting", "Wacht op klant", { position: 2 }),
  status("done", "Klaar", { position: 3, is_terminal: true }),
  status("archived", "Gearchiveerd", { position: 4, is_terminal: true }),
];

describe("statuses as files name them", () => {
  for (const [word, expected] of [
    ["in_progress", "in_progress"],
    ["In Progress", "in_progress"],
    ["WACHT OP KLANT", "waiting"],
    ["gearchiveerd", "archived"],
    ["To-do", "open"],
    ["Te doen", "open"],
    ["zu erledigen", "open"],
    ["bezig", "in_progress"],
    ["in Arbeit", "in_progress"],
    ["Completed", "done"],
    ["erledigt", "done"],
    ["golf", undefined],
    ["", undefined],
  ] as const)
    it(`reads '${word}' as ${expected ?? "none"}`, () => {
      expect(statusNamed(word, STATUSES)).to.equal(expected);
    });

  it("go by their meaning if keys and names are an organisation's own", () => {
    const own = [
      status("later", "Straks", { is_default: true }),
      status("now", "Nu"),
      status("gone", "Weg", { is_terminal: true }),
    ];
    expect(["todo", "doing", "done"].map((word) => statusNamed(word, own))).to.deep.equal(["later", "now", "gone"]);
    expect(statusNamed("doing", own.slice(0, 1))).to.equal(undefined);
    expect(statusNamed("done", own.slice(0, 1))).to.equal(undefined);
  });

  it("prefer a status of that name to the usual meaning of the word", () => {
    const own = [status("done", "Klaar"), status("checked", "Gecontroleerd", { is_terminal: true })];
    expect(statusNamed("done", own)).to.equal("done");
    expect(statusNamed("completed", own)).to.equal("checked");
  });

  it("are named with the words that would have been understood", () => {
    expect(wordsOfStatuses(STATUSES.slice(0, 2))).to.deep.equal(["open", "Open", "in_progress", "In behandeling"]);
  });
});

describe("columns of tasks that say it otherwise", () => {
  const shapesOf = (key: string) => TASK_COLUMNS.find((column) => column.key === key)?.shapes ?? [];
  const read = (key: string, text: string, header = "") =>
    shapesOf(key)
      .find(({ from }) => header === "" || from.flat().includes(header))
      ?.read(text);

  it("give minutes for hours", () => {
    expect(["1,5", "0.25", "2", "", "many"].map((text) => read("allocated_minutes", text))).to.deep.equal([
      "90",
      "15",
      "120",
      "",
      "",
    ]);
  });

  it("read a tick as a finished status, and no tick as nothing", () => {
    expect(["yes", "ja", "no", ""].map((text) => read("status", text, "due complete"))).to.deep.equal(["done", "done", "", ""]);
    expect(["2026-09-12", ""].map((text) => read("status", text, "completed at"))).to.deep.equal(["done", ""]);
  });
});
