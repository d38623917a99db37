import { expect } from "chai";
import { crash, reported, type Victim } from "../crash/jobs/jobs.ts";
import { requireNats } from "../support/nodes/nats.ts";
import { tier } from "../support/tier.ts";

/** The short form of `npm run crash`, which kills fifty times during a thousand jobs and a thousand mails. */
const KILLS: [victim: Victim, kills: number][] =
  tier() === "all"
    ? [
        ["worker", 2],
        ["postgres", 1],
        ["nats", 1],
      ]
    : [["worker", 1]];

describe("kill -9 during jobs and mails", function () {
  this.timeout(240_000);

  for (const [victim, kills] of KILLS)
    it(`of ${victim}, kills: ${kills}: nothing is lost, nothing is done twice, nothing is stuck`, async function () {
      if (victim === "nats") requireNats(this);
      const counts = await crash({ victim, kills, jobs: 40, mails: 40 });
      process.stdout.write(`    ${reported(counts)}\n`);
      const { lost, doubled, mailsLost, mailsDoubled, stuck } = counts;
      expect({ lost, doubled, mailsLost, mailsDoubled, stuck }).to.deep.equal({
        lost: 0,
        doubled: 0,
        mailsLost: 0,
        mailsDoubled: 0,
        stuck: 0,
      });
    });
});
