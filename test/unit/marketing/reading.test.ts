import { expect } from "chai";
import { addDays, daysInclusive, eachDay } from "../../../core/calendar/calendar.ts";
import { isWeekly } from "../../../integrations/marketing/jobs/link-jobs.ts";
import { spansInUse } from "../../../integrations/marketing/jobs/period-rows.ts";
import { chunksOf } from "../../../integrations/marketing/jobs/reading.ts";
import { nextPacificDay, sourceFailure } from "../../../integrations/marketing/sources/google-grant.ts";
import { GoogleFailure, type GoogleFailureKind } from "../../../mixins/google/failure.ts";

describe("chunks of a nightly read (marketing-ads §2.10)", () => {
  it("are 5 of 90 days for 400, oldest first, without a gap or a day twice", () => {
    const whole = { from: addDays("2026-08-09", -399), to: "2026-08-09" };
    const chunks = chunksOf(whole, 90);
    expect(chunks.map(({ from, to }) => daysInclusive(from, to))).to.deep.equal([...Array(4).fill(90), 40]);
    expect(chunks.flatMap(({ from, to }) => eachDay(from, to))).to.deep.equal(eachDay(whole.from, whole.to));
  });

  it("are one for a day, and none for a span that has ended", () => {
    expect(chunksOf({ from: "2028-02-29", to: "2028-02-29" }, 30)).to.deep.equal([{ from: "2028-02-29", to: "2028-02-29" }]);
    expect(chunksOf({ from: "2026-08-10", to: "2026-08-09" }, 30)).to.deep.equal([]);
  });
});

describe("the weekly restatement (marketing-ads §2.10)", () => {
  it("comes on Sundays", () => {
    expect(eachDay("2026-08-03", "2026-08-09").filter(isWeekly)).to.deep.equal(["2026-08-09"]);
  });
});

describe("spans in use (marketing-ads §2.1)", () => {
  it("are the eight tokens and what each is compared with, each once", () => {
    const spans = spansInUse("2026-08-10", "previous").map(({ from, to }) => `${from} ${to}`);
    expect(spans).to.include.members([
      "2026-08-03 2026-08-09",
      "2026-07-27 2026-08-02",
      "2026-07-11 2026-08-09",
      "2026-06-11 2026-07-10",
      "2026-08-01 2026-08-09",
      "2026-07-23 2026-07-31",
      "2026-07-01 2026-07-31",
      "2026-06-01 2026-06-30",
      "2026-04-01 2026-06-30",
      "2025-08-10 2026-08-09",
    ]);
    expect(new Set(spans).size).to.equal(spans.length);
    expect(spans).to.have.length(16);
    expect(spansInUse("2026-08-10", "year").map(({ from }) => from)).to.include("2025-08-03");
  });
});

describe("failures of Google as a source's (marketing-ads §2.3)", () => {
  const keyOf = (kind: GoogleFailureKind, status: number | null = null) =>
    sourceFailure(new GoogleFailure(kind, "HTTP 400", { status })).key;

  it("have a key for each kind", () => {
    expect(
      (
        [
          ["api_disabled", "marketing.api_not_enabled"],
          ["scope", "marketing.scope_insufficient"],
          ["grant", "errors.workspace_connection_error"],
          ["not_connected", "marketing.disconnected"],
          ["not_configured", "marketing.disconnected"],
          ["rate", "marketing.quota_used_up"],
          ["forbidden", "marketing.accounts_error"],
          ["not_found", "marketing.accounts_error"],
          ["unavailable", "marketing.accounts_error"],
        ] as const
      ).filter(([kind, key]) => keyOf(kind) !== key),
    ).to.deep.equal([]);
  });

  it("are about the property for a 403 of no other kind, and not for a 401", () => {
    expect(keyOf("forbidden", 403)).to.equal("marketing.no_access");
    expect(keyOf("forbidden", 401)).to.equal("marketing.accounts_error");
    expect(keyOf("scope", 403)).to.equal("marketing.scope_insufficient");
  });

  it("pause until the next Pacific midnight for a quota of the day alone, on both days of a clock change too", () => {
    const now = Date.parse("2026-08-10T06:59:00Z");
    const paused = (message: string, reason: string | null = null) =>
      sourceFailure(new GoogleFailure("rate", message, { reason }), now).pausedUntil;
    expect(paused("HTTP 429: Exhausted property tokens per day.")).to.equal("2026-08-10T07:00:00Z");
    expect(paused("HTTP 403", "dailyLimitExceeded")).to.equal("2026-08-10T07:00:00Z");
    expect(paused("HTTP 429: Exhausted property tokens per hour.")).to.equal(null);
    expect(paused("HTTP 429: Exhausted concurrent requests quota.")).to.equal(null);
    expect(nextPacificDay(Date.parse("2026-08-10T07:00:00Z"))).to.equal("2026-08-11T07:00:00Z");
    expect(nextPacificDay(Date.parse("2026-03-08T09:30:00Z"))).to.equal("2026-03-09T07:00:00Z");
    expect(nextPacificDay(Date.parse("2026-11-01T07:30:00Z"))).to.equal("2026-11-02T08:00:00Z");
  });
});
