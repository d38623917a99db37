import { jobsOf } from "../../../../mixins/jobs.ts";
import { recordEvents } from "../../../support/answers.ts";
import { type PaymentWorld, startPayments } from "../../payment/payment-world.ts";
import { cycleRaces } from "./cycle-races.ts";
import { documentRaces } from "./document-races.ts";
import { paymentRaces } from "./payment-races.ts";
import { run, wanted } from "./race.ts";

/** Rounds of each race; `ROUNDS=200` before a release, `RACES=callback` for some of them. */
const ROUNDS = Number(process.env["ROUNDS"] ?? 8);

describe("money at the same moment, on one node (money §16)", function () {
  this.timeout(60_000 + ROUNDS * 2_000);
  let world: PaymentWorld;
  before(async () => {
    world = await startPayments();
    await jobsOf(world.service.node.broker).ready();
    await recordEvents(world.service);
  });
  after(() => world.stop());

  for (const race of wanted([...documentRaces, ...paymentRaces, ...cycleRaces]))
    it(race.name, async () => {
      const { service, provider } = world;
      const course = { sql: service.sql, ports: [service.port], provider, tenant: () => service.tenant() };
      process.stdout.write(`    ${await run(race, course, ROUNDS)}\n`);
    });
});
