import { expect } from "chai";
import { effectiveHourlyRate } from "../../../core/values/hourly-rate.ts";
import { type ClientMinutes, costOf, type MonthMinutes, revenueOf, worth } from "../../../services/work/time/money.ts";
import { id } from "./support.ts";

describe("money: worked example of §6", () => {
  const worked = (organisation: string | null) => {
    const [ana, ben] = [effectiveHourlyRate("96.00", organisation), effectiveHourlyRate(null, organisation)];
    return [
      { minutes: 75, billable: true, rate: ana },
      { minutes: 40, billable: false, rate: ana },
      { minutes: 50, billable: true, rate: ben },
    ];
  };
  const revenue = (organisation: string | null) => {
    const billable = worked(organisation).filter((one) => one.billable);
    return revenueOf(2026, billable.map((one) => ({ ...one, year: 2026, month: 7 })), []).months_current[6]; // biome-ignore format: one call
  };

  it("without a default rate", () => {
    expect(costOf(worked(null))).to.deep.equal({ cost: 184, billable_amount: 120, unrated_minutes: 50 });
    expect(revenue(null)).to.equal(120);
  });

  it("with one", () => {
    expect(costOf(worked("72.50"))).to.deep.equal({ cost: 244.42, billable_amount: 180.42, unrated_minutes: 0 });
    expect(revenue("72.50")).to.equal(180.42);
  });
});

describe("money: amounts", () => {
  const rows: [what: string, worked: Parameters<typeof worth>[0], amount: number][] = [
    ["nothing", [], 0],
    ["no rate", [{ minutes: 60, rate: null }], 0],
    ["a rate of 0", [{ minutes: 60, rate: "0.00" }], 0],
    ["half a cent goes up", [{ minutes: 30, rate: "0.01" }], 0.01],
    ["less goes down", [{ minutes: 29, rate: "0.01" }], 0],
    ["rounded after summing, not before", Array.from({ length: 3 }, () => ({ minutes: 10, rate: "0.02" })), 0.01],
    ["after summing over rates", [{ minutes: 20, rate: "0.01" }, { minutes: 10, rate: "0.01" }, { minutes: 15, rate: "0.02" }], 0.01],
    ["thirds", [{ minutes: 20, rate: "100.00" }], 33.33],
    ["a million entries of the highest rate", [{ minutes: 1_440_000_000, rate: "100000.00" }], 2_400_000_000_000],
  ]; // biome-ignore format: a table
  for (const [what, worked, amount] of rows)
    it(what, () => {
      expect(worth(worked)).to.equal(amount);
    });

  it("unrated minutes are reported, billable or not", () => {
    expect(
      costOf([
        { minutes: 10, billable: false, rate: null },
        { minutes: 5, billable: true, rate: null },
        { minutes: 60, billable: true, rate: "0.00" },
      ]),
    ).to.deep.equal({ cost: 0, billable_amount: 0, unrated_minutes: 15 });
  });
});

describe("money: revenue of a year", () => {
  const month = (year: number, nth: number, minutes: number, rate: string | null = "60.00"): MonthMinutes => ({
    year,
    month: nth,
    minutes,
    rate,
  });
  const client = (nth: number | null, minutes: number, rate: string | null = "60.00"): ClientMinutes => ({
    company_id: nth === null ? null : id("c", nth),
    minutes,
    rate,
  });

  it("puts each month in its place, this year and the one before", () => {
    const revenue = revenueOf(
      2026,
      [month(2026, 1, 10), month(2026, 12, 20), month(2025, 1, 30), month(2025, 12, 40), month(2024, 12, 50), month(2027, 1, 60), month(2026, 1, 5)],
      [],
    ); // biome-ignore format: one call
    expect([revenue.months_current, revenue.months_previous].map((one) => one.join(" "))).to.deep.equal([
      "15 0 0 0 0 0 0 0 0 0 0 20",
      "30 0 0 0 0 0 0 0 0 0 0 40",
    ]);
    expect([revenue.total_current, revenue.total_previous]).to.deep.equal([35, 70]);
  });

  it("a total is the sum of the rounded months", () => {
    const third = (year: number) => Array.from({ length: 12 }, (_, nth) => month(year, nth + 1, 1, "20.00"));
    const { months_current, total_current, total_previous } = revenueOf(2026, [...third(2026), month(2025, 3, 1, "20.00")], []);
    expect(months_current).to.deep.equal(Array(12).fill(0.33));
    expect([total_current, total_previous]).to.deep.equal([3.96, 0.33]);
  });

  /** The revenue of hours of clients that are all of one month. */
  const ofClients = (...clients: ClientMinutes[]) =>
    revenueOf(
      2026,
      clients.map(({ minutes, rate }) => ({ year: 2026, month: 1, minutes, rate })),
      clients,
    );

  it("clients and the rest add up to the total, for any rounding by month and by client", () => {
    // A minute at 20.00 is a third of an euro: 12 months come to 3.96 and a client of the whole year to 4.00.
    const year = Array.from({ length: 12 }, (_, nth) => month(2026, nth + 1, 1, "20.00"));
    const alone = revenueOf(2026, year, [client(1, 12, "20.00")]);
    expect(alone).to.deep.include({ total_current: 3.96, other_revenue: 0, rounding: -0.04 });
    expect(
      alone.top_clients.map((one) => one.revenue),
      "a client's figure is its own sum",
    ).to.deep.equal([4]);
    for (let clients = 1; clients <= 14; clients++) {
      const each = Array.from({ length: clients }, (_, nth) => client(nth, 12 + nth, "20.00"));
      const months = each.flatMap(({ minutes, rate }, nth) => [
        { year: 2026, month: 1 + (nth % 12), minutes: minutes - 7, rate },
        { year: 2026, month: 1 + ((nth + 5) % 12), minutes: 7, rate },
      ]);
      const { total_current, top_clients, other_revenue, rounding } = revenueOf(2026, months, each);
      const named = top_clients.reduce((cents, { revenue }) => cents + Math.round(revenue * 100), 0);
      const rest = Math.round(other_revenue * 100) + Math.round(rounding * 100);
      expect(named + rest, `${clients} clients`).to.equal(Math.round(total_current * 100));
      expect(other_revenue === 0, `${clients} clients`).to.equal(clients <= 10);
      for (const { company_id, revenue } of top_clients)
        expect(revenue).to.equal(worth(each.filter((one) => one.company_id === company_id)));
    }
  });

  it("names the ten highest clients, and the rest in one figure", () => {
    const clients = Array.from({ length: 12 }, (_, nth) => client(nth, nth + 1));
    const { top_clients, other_revenue } = ofClients(...clients, client(5, 100), client(20, 90, null));
    expect(top_clients.map(({ company_id, revenue }) => `${Number(company_id?.slice(-12))}:${revenue}`).join(" ")).to.equal(
      "5:106 11:12 10:11 9:10 8:9 7:8 6:7 4:5 3:4 2:3",
    );
    expect(other_revenue).to.equal(3);
  });

  it("a rest below zero, by rounding alone, changes no client", () => {
    const cents = Array.from({ length: 11 }, (_, nth) => client(1 + nth, 30, "0.01"));
    const { total_current, top_clients, other_revenue, rounding } = ofClients(client(40, 60), ...cents);
    expect([total_current, top_clients.length, top_clients[0]?.revenue]).to.deep.equal([60.06, 10, 60]);
    expect([other_revenue, rounding]).to.deep.equal([0, -0.03]);
  });

  it("rounds the rest after summing, and leaves out clients worth nothing", () => {
    const tens = Array.from({ length: 10 }, (_, nth) => client(nth, 60));
    const cents = Array.from({ length: 6 }, (_, nth) => client(20 + nth, 30, "0.01"));
    const { top_clients, other_revenue } = ofClients(...cents, ...tens, client(40, 60, "0.00"));
    expect(top_clients.every(({ revenue }) => revenue === 60)).to.equal(true);
    expect(other_revenue).to.equal(0.03);
    expect(ofClients(client(1, 60, "0.00"), client(2, 9, null)).top_clients).to.deep.equal([]);
  });

  it("orders equal clients by id, entries without one last", () => {
    const { top_clients, other_revenue } = ofClients(client(null, 60), client(2, 60), client(1, 60), client(null, 1));
    expect(top_clients).to.deep.equal([
      { company_id: null, revenue: 61 },
      { company_id: id("c", 1), revenue: 60 },
      { company_id: id("c", 2), revenue: 60 },
    ]);
    expect(other_revenue).to.equal(0);
    expect(ofClients(client(null, 60), client(2, 60)).top_clients.at(-1)?.company_id).to.equal(null);
  });
});
