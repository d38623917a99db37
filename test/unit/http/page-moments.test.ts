import { expect } from "chai";
import { lastDay, moment } from "../../../services/api/pages/moments.ts";

const AMSTERDAM = "Europe/Amsterdam";
const NEW_YORK = "America/New_York";

describe("times of a page", () => {
  it("are of the organisation's clock, and say so", () => {
    const shown = (locale: "nl" | "en", zone: string) => moment(locale, zone, "2026-01-31T23:30:00Z").text;
    expect(shown("nl", AMSTERDAM)).to.equal('<time datetime="2026-01-31T23:30:00Z">1 feb 2026, 00:30 CET</time>');
    expect(shown("en", AMSTERDAM)).to.equal('<time datetime="2026-01-31T23:30:00Z">1 Feb 2026, 00:30 CET</time>');
    expect(shown("en", NEW_YORK)).to.match(/>31 Jan 2026, 18:30 (EST|GMT-5)</);
  });

  const table: [end: string, zone: string, day: string | null][] = [
    ["2026-01-31T23:00:00Z", AMSTERDAM, "31 januari 2026"],
    ["2026-03-29T22:00:00Z", AMSTERDAM, "29 maart 2026"],
    ["2026-02-01T05:00:00Z", NEW_YORK, "31 januari 2026"],
    ["2026-01-31T22:59:59Z", AMSTERDAM, null],
    ["2026-01-31T23:00:00Z", NEW_YORK, null],
    ["2026-01-31T12:00:00Z", AMSTERDAM, null],
  ];
  for (const [end, zone, day] of table)
    it(`what ends at ${end} is valid in ${zone} through ${day ?? "no whole day"}`, () =>
      expect(lastDay("nl", zone, end)).to.equal(day));
});
