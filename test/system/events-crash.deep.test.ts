import { expect } from "chai";
import { crashEvents, eventsLine } from "../crash/events/events.ts";

/** The short form of `npm run crash -- events`, which makes two thousand writes. */
describe("kill -9 of the service, PostgreSQL and the receivers while people, rules and webhooks are notified", function () {
  this.timeout(480_000);

  it("loses no event, and repeats a mail or a message only where no answer came", async () => {
    const outcome = await crashEvents({ writes: 40, kills: { service: 1, postgres: 1, receivers: 1 } });
    process.stdout.write(`    ${eventsLine(outcome)}\n`);
    expect(outcome.differences).to.deep.equal([]);
  });
});
