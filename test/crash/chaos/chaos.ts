import { roleOf } from "../../../migrations/run.ts";
import { MollieSimulator } from "../../simulators/payment.ts";
import { WebhookReceiver } from "../../simulators/webhook-receiver.ts";
import { recordEvents } from "../../support/answers.ts";
import { send } from "../../support/http.ts";
import { until } from "../../support/jobs.ts";
import { makeTenant } from "../../support/service.ts";
import { settle } from "../events/settling.ts";
import { type FaultName, happen } from "./faults.ts";
import { Installation } from "./installation.ts";
import { judge, type Verdict } from "./judge.ts";
import { leftConnections, leftInDatabase, spooledFiles } from "./leftovers.ts";
import { Office } from "./office.ts";
import { type Course, Probes } from "./probes.ts";

export interface ChaosPlan {
  seed: number;
  minutes: number;
  /** Clients of the API, and the organisations among which they are divided. */
  clients: number;
  organisations: number;
  faults: readonly FaultName[];
  /** Receives the name of each fault as it begins. */
  report?: (name: FaultName) => void;
}

export interface ChaosOutcome extends Verdict {
  plan: ChaosPlan;
  courses: Course[];
  /** Acknowledged writes, calls that were answered, and calls that were made again. */
  writes: number;
  answered: number;
  repeated: number;
  files: number;
  seconds: number;
  /** The last lines of each node. */
  said: string;
}

/** Has clients work while faults happen by a seed, and judges what is left. */
export async function crashInChaos(plan: ChaosPlan): Promise<ChaosOutcome> {
  const began = Date.now();
  const on = new Installation();
  const outside = { provider: new MollieSimulator(), webhooks: new WebhookReceiver() };
  const offices: Office[] = [];
  const port = () => on.front.port;
  try {
    await Promise.all([outside.provider.start(), outside.webhooks.start()]);
    await on.open({ SERVICE_PAYMENT_API_ROOT: outside.provider.root });
    const probes = new Probes();
    await on.database.asOwner(async (sql) => {
      await recordEvents({ sql });
      for (let n = 0; n < plan.organisations; n++) {
        const office = new Office(port, outside);
        const share = Math.ceil((plan.clients - n) / plan.organisations);
        await office.open(sql, `chaos${n}`, share, plan.seed * 100 + n);
        offices.push(office);
      }
      await probes.start(on.front.port, await makeTenant(sql, port, "probe"));
    });
    for (const office of offices) office.others = offices.filter((other) => other !== office);

    let isOver = false;
    const clients = offices.flatMap((office) => office.clients);
    const working = Promise.all(clients.map((client) => client.work(() => isOver)));
    const ms = plan.minutes * 60_000;
    const happened = await happen(on, {
      seed: plan.seed,
      ms,
      names: plan.faults,
      calm: () => probes.calm(),
      report: plan.report,
    });
    isOver = true;
    await working;
    await probes.stop();

    await until(async () => (await send(port(), "GET", "/health/ready").catch(() => null))?.status === 200, 300_000);
    const left = await settle(on);
    const verdict = await on.database.asOwner((sql) => judge(offices, sql, outside));
    verdict.leaked.push(...(left === 0 ? [] : [`${left} jobs or events are left`]));
    verdict.leaked.push(...(await on.database.asOwner(leftInDatabase)));
    verdict.other.push(...(await on.stopNodes()));
    const application = roleOf(on.database.server.url("application"));
    const remaining = () => on.database.asOwner((sql) => leftConnections(sql, application));
    // PostgreSQL notices an ended connection when it looks, which takes a moment on a busy machine.
    await until(async () => (await remaining()).length === 0, 20_000).catch(() => {});
    verdict.leaked.push(...(await remaining()));
    const sum = (count: (client: (typeof clients)[number]) => number) => clients.reduce((all, client) => all + count(client), 0);
    return {
      plan,
      ...verdict,
      courses: probes.courses(happened),
      writes: sum(({ journal }) => journal.writes.length),
      answered: sum(({ journal }) => journal.answered),
      repeated: sum(({ journal }) => journal.repeated),
      files: spooledFiles(on.database.dataDir).length,
      seconds: Math.round((Date.now() - began) / 1000),
      said: on.nodes.map(({ name, said, process }) => `--- ${name}\n${(said + process.output()).slice(-6000)}`).join("\n"),
    };
  } finally {
    await on.close();
    await Promise.allSettled([outside.provider.stop(), outside.webhooks.stop()]);
  }
}
