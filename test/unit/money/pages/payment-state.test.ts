import { expect } from "chai";
import { paymentNews, roundOf } from "../../../../services/money/pages/payment-state.ts";

describe("a page's message about a payment", () => {
  const reported = (status: string | null, round: number | null, settled = false, invoiceStatus = "open") => {
    const { text, isBad, refresh } = paymentNews({ status, settled, invoiceStatus }, round);
    return [text, isBad, refresh?.round ?? null];
  };

  it("is the state for a payer returning from a checkout", () => {
    expect(reported("open", 0)).to.deep.equal(["pending", false, 1]);
    expect(reported("authorized", 49)).to.deep.equal(["pending", false, 50]);
    expect(reported("pending", 50)).to.deep.equal(["waiting", false, null]);
    expect(reported("paid", 3, true)).to.deep.equal(["arrived", false, null]);
    expect(reported("open", 0, false, "paid"), "paid otherwise").to.deep.equal(["arrived", false, null]);
    expect(reported("paid", 0), "arrived and not booked").to.deep.equal(["processing", false, null]);
    for (const failed of ["failed", "canceled", "expired"]) expect(reported(failed, 0)).to.deep.equal([failed, true, null]);
  });

  it("is little for who does not", () => {
    expect(reported("open", null)).to.deep.equal(["underway", false, null]);
    expect(reported("open", null, false, "paid")).to.deep.equal([null, false, null]);
    expect(reported("failed", null)).to.deep.equal([null, false, null]);
    expect(reported(null, 0)[0]).to.equal(null);
  });

  it("counts the rounds of the query, which may hold anything", () => {
    expect([{}, { round: "3" }].map(roundOf)).to.deep.equal([null, null]);
    const back = { return: "1" };
    const rounds = [back, { ...back, round: "7" }, { ...back, round: "-1" }, { ...back, round: "1e9" }];
    expect(rounds.map(roundOf)).to.deep.equal([0, 7, 0, 0]);
  });
});
