import { expect } from "chai";
import {
  gapOf,
  groundedEntry,
  groundedMinutes,
  groundedSuggestions,
  groundedTime,
  isShort,
} from "../../../integrations/ai/time/grounding.ts";
import { NOTHING_HEARD } from "../../support/ai/nothing-heard.ts";

const GROUND = {
  companies: new Set(["c"]),
  projects: new Set(["p"]),
  tasks: new Set(["t"]),
  entryTypes: new Set(["work"]),
};

describe("grounding of a model's submission (platform §1.4)", () => {
  const times: [unknown, string | null][] = [
    ["14.00", "14:00"],
    ["14h00", "14:00"],
    ["1430", "14:30"],
    ["9:00", "09:00"],
    ["00:00", "00:00"],
    ["23:59", "23:59"],
    ["930", null],
    ["24:00", null],
    ["12:60", null],
    ["14:00:00", null],
    ["2 pm", null],
    ["14-00", null],
    ["", null],
    [1430, null],
    [null, null],
  ];
  for (const [given, expected] of times)
    it(`reads the time ${JSON.stringify(given)} as ${expected}`, () => expect(groundedTime(given)).to.equal(expected));

  const minutes: [unknown, number | null][] = [
    [90, 90],
    ["90", 90],
    [89.6, 90],
    ["89.5", 90],
    ["89,4", 89],
    [0, null],
    [0.4, null],
    [-5, null],
    ["-5", null],
    ["ninety", null],
    ["0x10", null],
    ["", null],
    [Number.NaN, null],
    [Number.POSITIVE_INFINITY, null],
    [true, null],
    [[60], null],
  ];
  for (const [given, expected] of minutes)
    it(`reads the minutes ${String(given)} as ${expected}`, () => expect(groundedMinutes(given)).to.equal(expected));

  it("keeps shown ids and types, each separately", () => {
    const given = { company_id: "c", project_id: "another", task_id: "t", entry_type_key: "retired" };
    expect(groundedEntry(given, GROUND)).to.deep.equal({ ...NOTHING_HEARD, company_id: "c", task_id: "t" });
    const wrongKind = { company_id: "p", project_id: "p", task_id: "c", entry_type_key: "work" };
    expect(groundedEntry(wrongKind, GROUND)).to.deep.equal({ ...NOTHING_HEARD, project_id: "p", entry_type_key: "work" });
  });

  it("accepts a break of a day at most, and billable only if stated", () => {
    expect(groundedEntry({ break_minutes: 1440, billable: false }, GROUND)).to.include({ break_minutes: 1440, billable: false });
    expect(groundedEntry({ break_minutes: 1441, billable: "yes" }, GROUND)).to.deep.equal(NOTHING_HEARD);
  });

  for (const submitted of [
    null,
    undefined,
    "text",
    7,
    [],
    {},
    { date: "2026-02-30", description: "  " },
    { company_id: { a: 1 } },
  ])
    it(`gives an entry of nulls for ${JSON.stringify(submitted)}`, () => {
      expect(groundedEntry(submitted, GROUND)).to.deep.equal(NOTHING_HEARD);
    });
});

describe("days that are short (platform §1.4, §10)", () => {
  const days: [scheduled: number, leave: number, logged: number, short: boolean][] = [
    [480, 240, 224, true],
    [480, 240, 225, false],
    [480, 0, 465, false],
    [480, 0, 464, true],
    [0, 0, 0, false],
    [0, -60, 0, false],
    [480, 480, 0, false],
  ];
  for (const [scheduled_minutes, leave_minutes, logged_minutes, short] of days)
    it(`calls ${scheduled_minutes} less ${leave_minutes} with ${logged_minutes} logged ${short ? "short" : "full"}`, () => {
      expect(isShort({ scheduled_minutes, leave_minutes, logged_minutes })).to.equal(short);
    });

  it("knows the gap", () => expect(gapOf({ scheduled_minutes: 480, leave_minutes: 240, logged_minutes: 224 })).to.equal(16));

  const suggested = (minutes: readonly unknown[], gap: number) =>
    groundedSuggestions({ suggestions: minutes.map((one) => ({ minutes: one })) }, GROUND, gap).map((one) => one.minutes);

  it("cuts minutes in order so that they never exceed the gap", () => {
    expect(suggested([60, 45, 20], 95)).to.deep.equal([60, 35]);
    expect(suggested([95, 1], 95)).to.deep.equal([95]);
    expect(suggested([null, 200, 5], 95)).to.deep.equal([null, 95]);
    expect(suggested([1, 1, 1, 1, 1, 1, 1], 95), "six at most").to.deep.equal([1, 1, 1, 1, 1, 1]);
  });

  it("cuts texts and grounds ids", () => {
    const one = {
      company_id: "c",
      project_id: "x",
      task_id: "t",
      minutes: "30",
      description: "d".repeat(600),
      label: "l".repeat(130),
    };
    expect(groundedSuggestions({ suggestions: [one, "nonsense"] }, GROUND, 95)).to.deep.equal([
      { company_id: "c", project_id: null, task_id: "t", minutes: 30, description: "d".repeat(500), label: "l".repeat(120) },
      { company_id: null, project_id: null, task_id: null, minutes: null, description: "", label: "" },
    ]);
    for (const nothing of [null, {}, { suggestions: "all" }, []])
      expect(groundedSuggestions(nothing, GROUND, 95)).to.deep.equal([]);
  });
});
