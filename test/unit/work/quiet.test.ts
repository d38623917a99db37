import { expect } from "chai";
import { quietSince } from "../../../services/work/interactions/quiet.ts";

describe("how long a client has not been spoken to", () => {
  const rows: [last: string, today: string, days: number, tone: string][] = [
    ["2026-07-09", "2026-07-09", 0, "neutral"],
    ["2026-05-29", "2026-07-09", 41, "neutral"],
    ["2026-05-28", "2026-07-09", 42, "warn"],
    ["2026-04-11", "2026-07-09", 89, "warn"],
    ["2026-04-10", "2026-07-09", 90, "bad"],
    ["2026-07-10", "2026-07-09", -1, "neutral"],
  ];
  for (const [last, today, days, tone] of rows)
    it(`last on ${last}: ${days} days, ${tone}`, () => {
      expect(quietSince(last, today)).to.deep.equal({ days, tone });
    });
});
