import { expect } from "chai";
import { type BilledEntry, hourLines } from "../../../../services/money/documents/claims/from-time-lines.ts";

const entry = (id: string, work_date: string, minutes: number, more: Partial<BilledEntry> = {}): BilledEntry => ({
  id,
  work_date,
  minutes,
  project_id: "p",
  project: "Site",
  description: null,
  rate: "92.50",
  ...more,
});
const entries = [
  entry("a", "2026-05-04", 50, { description: " Worked\r\n\ton it " }),
  entry("b", "2026-05-04", 25, { rate: "70.00" }),
  entry("c", "2026-05-05", 35),
  entry("d", "2026-05-06", 1, { project_id: null, project: null }),
];
const shown = (group_by: "entry" | "day" | "project", locale = "nl") =>
  hourLines(entries, { group_by, locale }).map((line) => [line.description, line.quantity, line.unit_price, line.time_entry_ids]);

describe("lines that bill hours", () => {
  it("are one for each project and rate, in the order of their first entries", () => {
    expect(shown("project")).to.deep.equal([
      ["Site", "1.4167", "92.50", ["a", "c"]],
      ["Site", "0.4167", "70.00", ["b"]],
      ["Uren", "0.0167", "92.50", ["d"]],
    ]);
  });

  it("are one for each day where the organisation is, project and rate", () => {
    expect(shown("day")).to.deep.equal([
      ["Site · 04-05-2026", "0.8333", "92.50", ["a"]],
      ["Site · 04-05-2026", "0.4167", "70.00", ["b"]],
      ["Site · 05-05-2026", "0.5833", "92.50", ["c"]],
      ["06-05-2026", "0.0167", "92.50", ["d"]],
    ]);
  });

  it("are one for each entry, named by its description, else its project", () => {
    expect(shown("entry", "de").map(([description]) => description)).to.deep.equal([
      "04-05-2026 · Worked on it",
      "04-05-2026 · Site",
      "05-05-2026 · Site",
      "06-05-2026 · Stunden",
    ]);
  });

  it("speak the organisation's language, else English, and end where a description does", () => {
    const [long] = hourLines([entry("a", "2026-05-04", 60, { description: "😀".repeat(600) })], {
      group_by: "entry",
      locale: "pt-BR",
    });
    expect([[...(long?.description ?? "")].length, long?.unit]).to.deep.equal([512, "hour"]);
  });
});
