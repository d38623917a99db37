import { expect } from "chai";
import { type NamedDays, windowOf } from "../../../integrations/advertising/reads/window.ts";

const NOON = "2026-08-10T12:00:00Z";

describe("the days of an advertising read", () => {
  const cases: [what: string, named: NamedDays, expected: object, warnings: string[]][] = [
    ["are 30 by default", {}, { date_from: "2026-07-11", date_to: "2026-08-09", days: 30, token: "30d" }, []],
    [
      "follow a period",
      { period: " Last_Month " },
      { date_from: "2026-07-01", date_to: "2026-07-31", days: 31, token: "last_month" },
      [],
    ],
    [
      "of two dates have no token, and the period does not count",
      { period: "7d", date_from: "2026-06-01", date_to: "2026-06-02" },
      { date_from: "2026-06-01", date_to: "2026-06-02", days: 2, token: null },
      [],
    ],
    [
      "are swapped where they are reversed",
      { date_from: "2026-06-02", date_to: "2026-06-01" },
      { date_from: "2026-06-01", date_to: "2026-06-02", days: 2, token: null },
      ["ads.warning.dates_swapped"],
    ],
    [
      "of more than 400 are the last 400",
      { date_from: "2025-01-01", date_to: "2026-06-30" },
      { date_from: "2025-05-27", date_to: "2026-06-30", days: 400, token: null },
      ["ads.warning.range_capped"],
    ],
    [
      "of 400 are all of them",
      { date_from: "2025-05-27", date_to: "2026-06-30" },
      { date_from: "2025-05-27", date_to: "2026-06-30", days: 400, token: null },
      [],
    ],
    [
      "of one date alone are those of the period",
      { date_from: "2026-06-01", period: "7d" },
      { date_from: "2026-08-03", date_to: "2026-08-09", days: 7, token: "7d" },
      [],
    ],
    [
      "that reach today are not final",
      { date_from: "2026-08-09", date_to: "2026-08-10" },
      { date_from: "2026-08-09", date_to: "2026-08-10", days: 2, token: null },
      ["ads.warning.period_not_final"],
    ],
    [
      "may deserve all warnings",
      { date_from: "2026-08-10", date_to: "2024-08-10" },
      { date_from: "2025-07-07", date_to: "2026-08-10", days: 400, token: null },
      ["ads.warning.dates_swapped", "ads.warning.range_capped", "ads.warning.period_not_final"],
    ],
  ];
  for (const [what, named, period, warnings] of cases)
    it(what, () => expect(windowOf(named, "Europe/Amsterdam", NOON)).to.deep.include({ period, warnings }));

  const zones: [zone: string | null, now: string, today: string][] = [
    ["Pacific/Kiritimati", "2026-08-09T10:00:00Z", "2026-08-10"],
    ["Pacific/Pago_Pago", "2026-08-10T10:59:59Z", "2026-08-09"],
    ["Pacific/Pago_Pago", "2026-08-10T11:00:00Z", "2026-08-10"],
    ["Europe/Amsterdam", "2026-03-28T23:00:00Z", "2026-03-29"],
    ["Europe/Amsterdam", "2026-10-24T22:00:00Z", "2026-10-25"],
    ["Europe/Amsterdam", "2026-10-25T22:59:59Z", "2026-10-25"],
    ["America/New_York", "2028-03-01T04:59:59Z", "2028-02-29"],
    [null, "2026-08-09T22:00:00Z", "2026-08-10"],
    ["", "2026-08-09T22:00:00Z", "2026-08-10"],
    ["Mars/Olympus", "2026-08-09T22:00:00Z", "2026-08-10"],
  ];
  for (const [zone, now, today] of zones)
    it(`at ${now} are counted from ${today} in '${zone}'`, () => {
      const window = windowOf({ date_from: today, date_to: today }, zone, now);
      expect(window).to.deep.include({ today, utcToday: now.slice(0, 10), warnings: ["ads.warning.period_not_final"] });
    });
});
