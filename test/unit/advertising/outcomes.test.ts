import { expect } from "chai";
import { changesIn, historyQuery, reachesBack } from "../../../integrations/advertising/writes/settling/history.ts";
import { type Evidence, type LaterWrite, outcomesOf } from "../../../integrations/advertising/writes/settling/outcomes.ts";
import { checkGaql } from "../../simulators/descriptions/check-request.mjs";

const NAME = "customers/1/campaignBudgets/9";
const budget = (values: object) => ({ campaignBudget: { resourceName: NAME, status: "ENABLED", ...values } });
const raise = {
  operation: { update: { resourceName: NAME, amountMicros: "15" }, updateMask: "amountMicros" },
  before: { amountMicros: "10" },
};
const event = (values: object) => ({ changeEvent: { changeResourceName: NAME, resourceChangeOperation: "UPDATE", ...values } });
const change = (from: string, to: string, clientType = "GOOGLE_ADS_API") =>
  event({
    clientType,
    oldResource: { campaignBudget: { amountMicros: from } },
    newResource: { campaignBudget: { amountMicros: to } },
  });
const later = (from: string | null, to: string, state: LaterWrite["state"] = "applied"): LaterWrite => ({
  state,
  update: { resourceName: NAME, amountMicros: to },
  before: from === null ? null : { amountMicros: from },
});
const evidence = (more: { now?: object; events?: object[]; later?: LaterWrite[]; isForgotten?: boolean }): Evidence => ({
  rows: more.now ? [budget(more.now)] : [],
  known: new Set(),
  changes: changesIn("campaignBudgets", (more.events ?? []) as Record<string, unknown>[]),
  later: more.later ?? [],
  isForgotten: more.isForgotten ?? false,
});

describe("the outcome of a write whose value is not there (marketing-ads §3.10)", () => {
  const [applied, refused, superseded] = [{ name: NAME }, "refused", "superseded"] as const;
  const cases: [text: string, expected: typeof applied | string, of: Parameters<typeof evidence>[0]][] = [
    ["nothing changed, and the history is silent", refused, { now: { amountMicros: "10" } }],
    ["another value, and the history is silent", superseded, { now: { amountMicros: "20" } }],
    ["the object is gone, and the history is silent", superseded, {}],
    [
      "the history has the change itself",
      applied,
      { now: { amountMicros: "20" }, events: [change("10", "15"), change("15", "20")] },
    ],
    [
      "a later change replaced this value",
      applied,
      { now: { amountMicros: "20" }, events: [change("15", "20", "GOOGLE_ADS_EDITOR")] },
    ],
    ["the history has other changes only", refused, { now: { amountMicros: "20" }, events: [change("10", "20")] }],
    [
      "a person set the same value later",
      refused,
      { now: { amountMicros: "20" }, events: [change("10", "12"), change("12", "15", "GOOGLE_ADS_WEB_CLIENT")] },
    ],
    ["a later write of ours read this value", applied, { now: { amountMicros: "30" }, later: [later("15", "30")] }],
    ["even one that was refused", applied, { now: { amountMicros: "12" }, later: [later("15", "30", "refused")] }],
    ["a later write of ours replaced it unread", superseded, { now: { amountMicros: "10" }, later: [later(null, "10")] }],
    ["a later write that had no effect either", refused, { now: { amountMicros: "10" }, later: [later("10", "30", "unknown")] }],
    ["the history no longer reaches back", superseded, { now: { amountMicros: "10" }, isForgotten: true }],
  ];
  for (const [text, expected, of] of cases)
    it(`is ${typeof expected === "object" ? "applied" : expected}: ${text}`, () =>
      expect(outcomesOf("campaignBudgets", [raise], [null], evidence(of))).to.deep.equal([expected]));

  it("needs evidence for each missing value", () => {
    const both = {
      operation: { update: { resourceName: NAME, amountMicros: "15", name: "B" }, updateMask: "amountMicros,name" },
      before: { amountMicros: "10", name: "A" },
    };
    const of = (now: object) => outcomesOf("campaignBudgets", [both], [null], evidence({ now, events: [change("10", "15")] }));
    expect(of({ amountMicros: "20", name: "B" })).to.deep.equal([applied]);
    expect(of({ amountMicros: "20", name: "C" })).to.deep.equal([refused]);
  });

  it("finds a creation and a removal that were undone later, and each creation once", () => {
    const created = event({
      resourceChangeOperation: "CREATE",
      newResource: { campaignBudget: { name: "S", amountMicros: "5" } },
    });
    const create = { operation: { create: { name: "S", amountMicros: "5" } } };
    const of = (operations: object[], events: object[], known: string[] = []) =>
      outcomesOf(
        "campaignBudgets",
        operations as (typeof raise)[],
        operations.map(() => null),
        {
          ...evidence({ events }),
          known: new Set(known),
        },
      );
    expect(of([create, create], [created])).to.deep.equal([applied, refused]);
    expect(of([create], [created], [NAME]), "another write created it").to.deep.equal([refused]);
    expect(of([{ operation: { create: { name: "S", amountMicros: "6" } } }], [created])).to.deep.equal([refused]);
    const removal = { operation: { remove: NAME } };
    expect(of([removal], [event({ resourceChangeOperation: "REMOVE" })])).to.deep.equal([applied]);
    expect(of([removal], [change("10", "15")])).to.deep.equal([refused]);
  });

  it("asks for the history since the write, in the account's zone, as long as the provider keeps it", () => {
    const now = Date.parse("2026-03-10T12:00:00Z");
    const query = historyQuery("campaignBudgets", "2026-03-10T10:11:12.987Z", now, "Asia/Tokyo") ?? "";
    expect(checkGaql(query).problems, query).to.deep.equal([]);
    expect(query).to.include("BETWEEN '2026-03-10 19:11:12' AND '2026-03-11 00:00:00'");
    expect(query).to.include("change_resource_type = 'CAMPAIGN_BUDGET'");
    expect(historyQuery("sharedSets", "2026-03-10T10:00:00Z", now, null), "lists have none").to.equal(null);
    expect(historyQuery("campaigns", "2026-02-01T10:00:00Z", now, null)).to.equal(null);
    expect([reachesBack("2026-02-10T12:00:00Z", now), reachesBack("2026-02-08T12:00:00Z", now)]).to.deep.equal([true, false]);
  });
});
