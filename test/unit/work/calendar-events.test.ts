import { expect } from "chai";
import { blockEvent, dueEvent } from "../../../services/work/planning/calendar-events.ts";

const updated_at = "2026-03-01T08:00:00+00:00";

describe("events of planned work", () => {
  it("are blocks at their own instants, in the hour that the clock shows twice too", () => {
    const block = { id: "b", title: "Letter", note: "Bring papers", updated_at };
    const event = blockEvent({ ...block, starts_at: "2026-10-25T00:30:00+00:00", ends_at: "2026-10-25T02:30:00+01:00" });
    expect(event).to.deep.equal({
      uid: "task-schedule-b",
      summary: "Letter",
      description: "Bring papers",
      time: { all_day: false, start: "2026-10-25T00:30:00Z", end: "2026-10-25T01:30:00Z" },
      stamp: updated_at,
    });
  });

  it("are tasks on the whole day they are due, the end exclusive", () => {
    expect(dueEvent({ id: "t", title: "Letter", due_date: "2026-12-31", updated_at })).to.deep.equal({
      uid: "task-due-t",
      summary: "Letter",
      description: null,
      time: { all_day: true, start: "2026-12-31", end: "2027-01-01" },
      stamp: updated_at,
    });
  });
});
