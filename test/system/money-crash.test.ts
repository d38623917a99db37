import { expect } from "chai";
import { booksLine, crashMoney } from "../crash/money/money.ts";
import { rounds } from "../support/tier.ts";

/** The short form of `npm run crash -- money`, which does a thousand of each; the first tier kills the service alone. */
describe("kill -9 of the service, PostgreSQL and the payment provider while an agency invoices", function () {
  this.timeout(240_000);

  it("leaves books that add up", async () => {
    const kills = { service: 1, postgres: rounds(0, 1), provider: rounds(0, 1) };
    const counts = await crashMoney({ invoices: rounds(6, 16), agreements: rounds(1, 3), periods: rounds(1, 2), kills });
    process.stdout.write(`    ${booksLine(counts)}\n`);
    expect(counts.differences).to.deep.equal([]);
  });
});
