import { expect } from "chai";
import { crashMoney, toldBooks } from "../crash/money/money.ts";

/** The short form of `npm run crash -- money`, which does a thousand of each. */
describe("kill -9 of the service, PostgreSQL and the payment provider while an agency invoices", function () {
  this.timeout(240_000);

  it("leaves books that add up", async () => {
    const kills = { service: 2, postgres: 1, provider: 2 };
    const counts = await crashMoney({ invoices: 24, agreements: 4, periods: 3, kills });
    process.stdout.write(`    ${toldBooks(counts)}\n`);
    expect(counts.differences).to.deep.equal([]);
  });
});
