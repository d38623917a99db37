import { expect } from "chai";
import { type ChaosOutcome, crashInChaos } from "../crash/chaos/chaos.ts";
import type { FaultName } from "../crash/chaos/faults.ts";
import { chaosReport } from "../crash/chaos/report.ts";
import { requireNats } from "../support/nodes/nats.ts";

/** Another seed tries other clients at other moments. */
const SEED = Number(process.env["CHAOS_SEED"] ?? 1);
/** One of each kind; `npm run crash -- chaos` has all. */
const SHORT: readonly FaultName[] = [
  "a worker is killed",
  "a worker is paused",
  "NATS is killed",
  "PostgreSQL is killed",
  "the connections of the proxy are cut",
  "the disk is full",
];

describe("two gateways and two workers, while one part after another fails", function () {
  this.timeout(900_000);
  let outcome: ChaosOutcome;

  before(async function () {
    requireNats(this);
    outcome = await crashInChaos({ seed: SEED, minutes: 1, clients: 10, organisations: 3, faults: SHORT });
    process.stdout.write(`${chaosReport(outcome).replaceAll(/^/gm, "    ")}\n`);
  });

  it("serve again after each", () => {
    expect(outcome.courses.filter(({ recovery }) => recovery === null)).to.deep.equal([]);
    expect(outcome.courses).to.not.have.length(0);
  });
  it("lose nothing that was acknowledged", () => expect(outcome.lost).to.deep.equal([]));
  it("do nothing twice", () => expect(outcome.twice).to.deep.equal([]));
  it("show no organisation another's rows, and leave nothing behind", () => expect(outcome.leaked).to.deep.equal([]));
  it("answer nothing that no fault explains", () => expect(outcome.other).to.deep.equal([]));
});
