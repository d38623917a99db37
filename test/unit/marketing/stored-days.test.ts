import { expect } from "chai";
import fc from "fast-check";
import { roundHalfUp } from "../../../core/values/money.ts";
import { channelsOf, roundedFigure, type StoredDays, seriesOf } from "../../../integrations/marketing/reading/stored-days.ts";
import ga4 from "../../../integrations/marketing/sources/ga4.source.ts";
import { cases } from "../../support/cases.ts";

const NONE: StoredDays = { at: null, metrics: null, channels: null };

describe("a figure of a day", () => {
  for (const [figure, expected] of [
    [0, 0],
    [12, 12],
    [0.4321, 0.4321],
    [0.43215, 0.4322],
    [-0.43215, -0.4322],
    [0.43214999, 0.4321],
    [1.00005, 1.0001],
    [0.00005, 0.0001],
    [0.00004999, 0],
    [1e-9, 0],
    [123_456_789.12345, 123_456_789.1235],
    [1e21, 1e21],
  ] as const)
    it(`is ${expected} of ${figure}`, () => expect(roundedFigure(figure)).to.equal(expected));

  it("has 4 decimals, a half away from zero, as decimals would have it", () => {
    const figure = fc.oneof(
      fc.double({ noNaN: true, min: -1e6, max: 1e6 }),
      fc.integer({ min: -1e9, max: 1e9 }).map((value) => value / 100_000),
    );
    fc.assert(
      fc.property(figure, (value) => {
        expect(roundedFigure(value) + 0).to.equal(roundHalfUp(value, 4).toNumber() + 0);
      }),
      cases(300, 100_000),
    );
  });
});

describe("the series of a link", () => {
  it("have a value for each day, by the metric that a metric mirrors, 0 if nothing is stored or reported", () => {
    const days: StoredDays = { at: [3, 0], metrics: [{ sessions: 4, keyEvents: 2.5 }, { sessions: 1 }], channels: null };
    expect(seriesOf(days, ga4, ["sessions", "conversions"], 4)).to.deep.equal({
      sessions: [1, 0, 0, 4],
      conversions: [0, 0, 0, 2.5],
    });
    expect(seriesOf(NONE, ga4, ["sessions"], 2)).to.deep.equal({ sessions: [0, 0] });
  });
});

describe("the visits by channel of a link", () => {
  it("are exact sums over the days that count, shorter names first", () => {
    const days: StoredDays = {
      at: [2, 0, 1],
      metrics: [{}, {}, {}],
      channels: [{ Direct: 90 }, { Organic: 0.1, Direct: 1, Email: 5 }, { Organic: 0.2, Référé: 1 }],
    };
    const entries = (counted: number) => Object.entries(channelsOf(days, counted));
    expect(entries(2)).to.deep.equal([
      ["Email", 5],
      ["Direct", 1],
      ["Organic", 0.3],
      ["Référé", 1],
    ]);
    expect(channelsOf(days, 3)["Direct"]).to.equal(91);
    expect(entries(0)).to.deep.equal([]);
    expect(channelsOf(NONE, 3)).to.deep.equal({});
  });
});
