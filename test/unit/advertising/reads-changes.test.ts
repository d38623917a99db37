import { expect } from "chai";
import { changedFields } from "../../../integrations/advertising/reads/declared/changed-fields.ts";
import { changes } from "../../../integrations/advertising/reads/declared/records.ts";
import type { ReadFilters } from "../../../integrations/advertising/reads/read.ts";

describe("the fields of a change", () => {
  const cases: [what: string, args: Parameters<typeof changedFields>, expected: object[]][] = [
    ["are none without a mask", [undefined, undefined, undefined], []],
    [
      "are read within the message of each side",
      ["status,name", { campaign: { status: "ENABLED", name: "A" } }, { campaign: { status: "PAUSED", name: "B" } }],
      [
        { field: "status", from: "ENABLED", to: "PAUSED" },
        { field: "name", from: "A", to: "B" },
      ],
    ],
    [
      "are deep, in either spelling",
      [
        "targetCpa.targetCpaMicros,maximize_conversions.target_cpa_micros",
        { campaign: { targetCpa: { targetCpaMicros: "5" } } },
        { campaign: { maximizeConversions: { targetCpaMicros: "6" } } },
      ],
      [
        { field: "targetCpa.targetCpaMicros", from: "5", to: null },
        { field: "maximize_conversions.target_cpa_micros", from: null, to: "6" },
      ],
    ],
    [
      "of a new thing have nothing before",
      ["amountMicros", undefined, { campaignBudget: { amountMicros: "10" } }],
      [{ field: "amountMicros", from: null, to: "10" }],
    ],
    [
      "are text, whatever they are at the provider",
      ["finalUrls,negative,x", { ad: { finalUrls: ["https://a.example"], negative: false, x: null } }, { ad: {} }],
      [
        { field: "finalUrls", from: '["https://a.example"]', to: null },
        { field: "negative", from: "false", to: null },
        { field: "x", from: null, to: null },
      ],
    ],
    [
      "have at most 300 characters",
      ["name", { campaign: { name: "é".repeat(300) } }, { campaign: { name: "😀".repeat(301) } }],
      [{ field: "name", from: "é".repeat(300), to: "😀".repeat(300) }],
    ],
    [
      "are never found outside of the message",
      ["constructor,campaign.status", { campaign: { status: "ENABLED" } }, undefined],
      [
        { field: "constructor", from: null, to: null },
        { field: "campaign.status", from: null, to: null },
      ],
    ],
  ];
  for (const [what, args, expected] of cases) it(what, () => expect(changedFields(...args)).to.deep.equal(expected));
});

describe("the window of a change history", () => {
  const FIRST = "2026-07-12"; // 2026-08-10 less 29 days
  const SHORTENED = "ads.warning.changes_window_shortened";
  const cases: [from: string, to: string, effective: { from: string; to: string } | null, warnings: string[]][] = [
    ["2026-08-01", "2026-08-09", { from: "2026-08-01", to: "2026-08-09" }, []],
    [FIRST, "2026-08-09", { from: FIRST, to: "2026-08-09" }, []],
    ["2026-07-11", "2026-08-09", { from: FIRST, to: "2026-08-09" }, [SHORTENED]],
    ["2026-01-01", FIRST, { from: FIRST, to: FIRST }, [SHORTENED]],
    ["2026-06-01", "2026-07-11", null, [SHORTENED]],
    ["2026-08-01", "2026-12-31", { from: "2026-08-01", to: "2026-08-10" }, []],
    ["2026-09-01", "2026-09-30", null, []],
  ];
  for (const [from, to, effective, warnings] of cases)
    it(`${from} to ${to} reads ${effective ? `${effective.from} to ${effective.to}` : "nothing, without a call (S4)"}`, async () => {
      const texts: string[] = [];
      const filters = { from, to, today: "2026-08-10", utcToday: "2026-08-10" } as ReadFilters;
      const ask = (text: string) => {
        texts.push(text);
        return Promise.resolve([]);
      };
      const found = await changes.find(ask, filters);
      expect(found).to.deep.include({ warnings, extra: { effective_period: effective, change_event_window_days: 30 } });
      expect(texts).to.have.length(effective ? 1 : 0);
      if (effective)
        expect(texts[0]).to.include(
          `change_event.change_date_time >= '${effective.from} 00:00:00' AND change_event.change_date_time <= '${effective.to} 23:59:59.999999'`,
        );
    });
});
