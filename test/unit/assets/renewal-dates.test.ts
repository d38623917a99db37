import { expect } from "chai";
import {
  changedRenewal,
  createdRenewal,
  defaultRenewal,
  isBillable,
  yearAfter,
  yearBefore,
} from "../../../services/assets/domains/renewal-dates.ts";

const today = "2026-06-10";

describe("the renewal date of a domain (assets §2.2)", () => {
  for (const [start_date, expires_on, date] of [
    ["2024-02-29", null, "2027-02-28"],
    ["2024-02-29", "2027-03-01", "2027-03-01"],
    ["2024-02-29", "2026-06-10", "2027-02-28"],
    ["2024-02-29", "2026-06-11", "2026-06-11"],
    ["2024-02-29", "2019-01-01", "2027-02-28"],
    ["2020-06-10", null, "2027-06-10"],
    ["2020-06-11", null, "2026-06-11"],
    ["2026-06-10", null, "2027-06-10"],
    ["2030-01-31", null, "2031-01-31"],
    ["0001-02-28", null, "2027-02-28"],
    ["9999-05-01", null, "9999-05-01"],
  ] as const)
    it(`of a start on ${start_date} and an expiry on ${expires_on} is ${date}`, () => {
      expect(defaultRenewal({ start_date, expires_on, today })).to.equal(date);
    });

  it("keeps a clamp, forwards and backwards", () => {
    expect(yearAfter("2024-02-29")).to.equal("2025-02-28");
    expect(yearAfter("2027-02-28")).to.equal("2028-02-28");
    expect(yearBefore("2024-02-29")).to.equal("2023-02-28");
    expect(yearBefore("2027-02-28")).to.equal("2026-02-28");
  });

  it("is for the statuses that are billed", () => {
    const statuses = ["active", "redirect", "parked", "expired", "inactive"] as const;
    expect(statuses.map(isBillable)).to.deep.equal([true, true, true, false, false]);
  });

  for (const [what, sent, status, stored] of [
    ["a billed status and a date", "2020-01-01", "parked", "2020-01-01"],
    ["a billed status alone", undefined, "active", "default"],
    ["a billed status and null", null, "active", "default"],
    ["another status", undefined, "expired", null],
    ["another status and a date", "2030-01-01", "inactive", null],
  ] as const)
    it(`of a create with ${what} is ${stored}`, () => {
      expect(createdRenewal(sent, status)).to.equal(stored);
    });

  for (const [what, sent, before, status, stored] of [
    ["a date", "2020-01-01", "2030-01-01", "active", "2020-01-01"],
    ["a date, not billed", "2020-01-01", null, "inactive", "2020-01-01"],
    ["null, billed", null, "2030-01-01", "redirect", "default"],
    ["null, not billed", null, "2030-01-01", "expired", null],
    ["nothing", undefined, "2030-01-01", "active", undefined],
    ["nothing, not billed any more", undefined, "2030-01-01", "expired", undefined],
    ["nothing where there is none, billed", undefined, null, "active", "default"],
    ["nothing where there is none, not billed", undefined, null, "inactive", undefined],
  ] as const)
    it(`of an update with ${what} is ${stored}`, () => {
      expect(changedRenewal(sent, before, status)).to.equal(stored);
    });
});
