import { cycleRaces } from "../api/money/races/cycle-races.ts";
import { documentRaces } from "../api/money/races/document-races.ts";
import { paymentRaces } from "../api/money/races/payment-races.ts";
import { run, wanted } from "../api/money/races/race.ts";
import { MollieSimulator } from "../simulators/payment.ts";
import { recordEvents } from "../support/answers.ts";
import { requireNats } from "../support/nodes/nats.ts";
import { type Nodes, startNodes } from "../support/nodes/nodes.ts";

/** Rounds of each race; `ROUNDS=200` before a release, `RACES=callback` for some of them. */
const ROUNDS = Number(process.env["ROUNDS"] ?? 3);

describe("money at the same moment, on two nodes (money §16)", function () {
  this.timeout(120_000 + ROUNDS * 2_000);
  const provider = new MollieSimulator();
  let nodes: Nodes | undefined;
  let organisations = 0;
  before(async function () {
    requireNats(this);
    await provider.start();
    nodes = await startNodes(2, {
      SERVICE_PAYMENT_API_ROOT: provider.root,
      SERVICE_OUTBOUND_ALLOWED_RANGES: "127.0.0.0/8",
      SERVICE_JOBS_POLL_MS: "250",
    });
    await recordEvents(nodes);
  });
  after(async () => {
    await nodes?.stop();
    await provider.stop().catch(() => {});
  });

  for (const race of wanted([...documentRaces, ...paymentRaces, ...cycleRaces]))
    it(race.name, async () => {
      const { sql, ports, tenant } = nodes as Nodes;
      const course = { sql, ports, provider, tenant: () => tenant(`races${++organisations}`) };
      process.stdout.write(`    ${await run(race, course, ROUNDS)}\n`);
    });
});
