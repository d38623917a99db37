import { expect } from "chai";
import { booksLine, crashMoney } from "../crash/money/money.ts";

/** The short form of `npm run crash -- money`, which does a thousand of each. */
describe("kill -9 of the service, PostgreSQL and the payment provider while an agency invoices", function () {
  this.timeout(240_000);

  it("leaves books that add up", async () => {
    const kills = { service: 1, postgres: 1, provider: 1 };
    const counts = await crashMoney({ invoices: 16, agreements: 3, periods: 2, kills });
    process.stdout.write(`    ${booksLine(counts)}\n`);
    expect(counts.differences).to.deep.equal([]);
  });
});
