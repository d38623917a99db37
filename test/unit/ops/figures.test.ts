import { expect } from "chai";
import { addDuration, addedUp, quantile } from "../../../mixins/ops/durations.ts";
import { RecentRequests } from "../../../mixins/ops/recent-requests.ts";
import { SlowestList } from "../../../mixins/ops/slowest-statements.ts";

const MINUTE = 60_000;
const START = 1_800_000_000_000;

describe("durations by bucket", () => {
  const of = (...all: number[]) => {
    const buckets: number[] = [];
    for (const one of all) addDuration(buckets, one);
    return buckets;
  };

  it("have no quantile without a value", () => expect(quantile([], 0.5)).to.equal(null));

  for (const [values, share, low, high] of [
    [[3, 3, 3, 3], 0.5, 2, 5],
    [[1, 1, 1, 400], 0.99, 250, 500],
    [[0.2], 0.5, 0, 1],
    [[90_000], 0.99, 30_000, 30_000],
  ] as const)
    it(`place ${share} of ${values.join(", ")} between ${low} and ${high} ms`, () => {
      const found = quantile(of(...values), share) as number;
      expect(found).to.be.within(low, high);
    });

  it("add up over nodes, whatever their length", () => expect(addedUp([of(1, 3), of(300), []])).to.deep.equal(of(1, 3, 300)));
});

describe("requests of the last hour", () => {
  const request = (action: string, organisation: string | null, milliseconds: number | null = 10, isError = false) => ({
    action,
    organisation,
    milliseconds,
    isError,
  });

  it("are added up by action and organisation over five minutes, those that took most time first", () => {
    const recent = new RecentRequests(START);
    recent.note(request("a.list", "one", 10), START);
    recent.note(request("b.list", "two", 500, true), START + MINUTE);
    recent.note(request("a.list", "one", 30), START + 2 * MINUTE);
    const { actions, organisations, seconds } = recent.read(START + 2 * MINUTE + 30_000);
    expect(seconds).to.equal(150);
    expect(actions.map(({ action, requests, errors, milliseconds }) => [action, requests, errors, milliseconds])).to.deep.equal([
      ["b.list", 1, 1, 500],
      ["a.list", 2, 0, 40],
    ]);
    expect(organisations).to.deep.equal([
      { slug: "two", requests: 1, milliseconds: 500 },
      { slug: "one", requests: 2, milliseconds: 40 },
    ]);
  });

  it("leave the window of actions after five minutes, and the plots after an hour", () => {
    const recent = new RecentRequests(START);
    recent.note(request("a.list", "one"), START);
    recent.note(request("b.list", null), START + 6 * MINUTE);
    const later = recent.read(START + 6 * MINUTE);
    expect(later.actions.map(({ action }) => action)).to.deep.equal(["b.list"]);
    expect(later.minutes.map(({ requests }) => requests)).to.deep.equal([1, 1]);
    expect(later.organisations).to.deep.equal([]);
    expect(recent.read(START + 62 * MINUTE).minutes.map(({ requests }) => requests)).to.deep.equal([1]);
  });

  it("count a stream without its duration", () => {
    const recent = new RecentRequests(START);
    recent.note(request("events.stream", null, null), START);
    expect(recent.read(START).minutes[0]).to.include({ requests: 1, milliseconds: 0 });
  });

  it("take no more memory for more organisations or a longer time", () => {
    const recent = new RecentRequests(START);
    for (let number = 0; number < 20_000; number++)
      recent.note(request(`a${number % 300}`, `o${number}`), START + number * 1_000);
    const { minutes, actions, organisations } = recent.read(START + 20_000_000);
    expect([minutes.length, actions.length, organisations.length]).to.satisfy(
      ([most, some, few]: number[]) => (most ?? 0) <= 60 && (some ?? 0) <= 100 && (few ?? 0) <= 50,
    );
  });
});

describe("the slowest statements", () => {
  const slow = (action: string, ms: number) => ({ action, requestId: null, ms, statements: 1, sql: ["select 1"] });

  it("are listed once each with their longest time, the slowest first, for an hour", () => {
    const list = new SlowestList();
    list.note(slow("a", 20), START);
    list.note(slow("b", 90), START + 1);
    list.note(slow("a", 40), START + 2);
    expect(list.read(START + 3).map(({ action, times, worst_ms: worst }) => [action, times, worst])).to.deep.equal([
      ["b", 1, 90],
      ["a", 2, 40],
    ]);
    expect(list.read(START + 61 * MINUTE)).to.deep.equal([]);
  });

  it("are at most fifty: the fastest makes room", () => {
    const list = new SlowestList();
    for (let number = 0; number < 200; number++) list.note(slow(`a${number}`, 10 + number), START);
    const kept = list.read(START);
    expect([kept.length, kept[0]?.worst_ms, kept.at(-1)?.worst_ms]).to.deep.equal([50, 209, 160]);
  });
});
