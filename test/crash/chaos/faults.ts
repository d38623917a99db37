import { setTimeout as delay } from "node:timers/promises";
import { type Seeded, seeded } from "../../support/lists/seeded.ts";
import type { ChaosNode, Group, Installation } from "./installation.ts";

/** What a fault reports while it lasts. */
export interface Course {
  /** From now on the service can recover: measured from here. */
  mended(): void;
}

type Fault = (on: Installation, random: Seeded, course: Course) => Promise<unknown>;

const between = ({ random }: Seeded, least: number, most: number): number => least + random() * (most - least);
const one = (on: Installation, group: Group, random: Seeded): ChaosNode => random.pick(on.of(group));

/** Ends one node and starts it again; the others can serve from the first moment. */
const restarted =
  (group: Group, how: "stop" | "kill"): Fault =>
  (on, random, { mended }) => {
    mended();
    return on.restart(one(on, group, random), how);
  };

/** A node that does nothing for longer than others wait for it, and then goes on as if nothing had been. */
const paused =
  (group: Group): Fault =>
  async (on, random, { mended }) => {
    const { pid } = one(on, group, random).process;
    process.kill(pid, "SIGSTOP");
    mended();
    await delay(between(random, 5000, 8000));
    process.kill(pid, "SIGCONT");
  };

/** What can be done to an installation. */
export const FAULTS = {
  "a worker is killed": restarted("workers", "kill"),
  "a gateway is killed": restarted("gateways", "kill"),
  "a worker is stopped in order": restarted("workers", "stop"),
  "a gateway is stopped in order": restarted("gateways", "stop"),
  "a worker is paused": paused("workers"),
  "a gateway is paused": paused("gateways"),
  "NATS is killed": (on, random, { mended }) => on.restartNats(between(random, 2000, 6000), mended),
  "PostgreSQL is killed": async (on, _random, { mended }) => {
    await on.database.kill();
    mended();
  },
  "the connections to PostgreSQL are cut": async (on, _random, { mended }) => {
    for (const { database } of on.nodes) database.cut();
    mended();
  },
  "PostgreSQL is silent": async (on, random, { mended }) => {
    for (const { database } of on.nodes) database.silence();
    await delay(between(random, 2000, 5000));
    for (const { database } of on.nodes) database.speak();
    mended();
  },
  "the proxy is away": async (on, random, { mended }) => {
    await on.front.close();
    await delay(between(random, 500, 1500));
    await on.front.open();
    mended();
  },
  "the connections of the proxy are cut": async (on, random, { mended }) => {
    for (let times = 0; times < 5; times++) {
      for (const wire of [on.front, ...on.of("gateways").flatMap(({ front }) => front ?? [])]) wire.cut();
      await delay(between(random, 100, 600));
    }
    mended();
  },
  "a worker is cut off from NATS": async (on, random, { mended }) => {
    const { nats } = one(on, "workers", random);
    nats.silence();
    mended();
    await delay(between(random, 5000, 8000));
    nats.speak();
  },
  "the network is slow": async (on, random, { mended }) => {
    for (const wire of on.wires) wire.lateness = between(random, 5, 40);
    await delay(between(random, 6000, 10_000));
    for (const wire of on.wires) wire.lateness = 0;
    mended();
  },
  "the disk is full": async (on, random, { mended }) => {
    if (on.hasRoom) await on.fillDisk(between(random, 3000, 6000));
    mended();
  },
  "a clock jumps": async (on, random, { mended }) => {
    const { pid } = random.pick(on.nodes).process;
    process.kill(pid, "SIGUSR2");
    mended();
    await delay(between(random, 6000, 10_000));
    process.kill(pid, "SIGUSR2");
  },
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;
export const FAULT_NAMES = Object.keys(FAULTS) as FaultName[];

/** One fault of a run; moments by `performance.now()`. */
export interface Happened {
  name: FaultName;
  began: number;
  /** From when on the service can recover. */
  mended: number;
  /** When its cause is gone, and every node is there. */
  over: number;
}

/** The order of the faults: each once before any comes again. */
export function* order(random: Seeded, names: readonly FaultName[]): Generator<FaultName> {
  for (;;) {
    const left = [...names];
    while (left.length > 0) yield left.splice(Math.floor(random.random() * left.length), 1)[0] as FaultName;
  }
}

/** What happens, and for how long. */
export interface Schedule {
  seed: number;
  ms: number;
  names: readonly FaultName[];
  /** Waits until the service answers again, so that each fault meets a whole installation. */
  calm(): Promise<void>;
  /** Receives the name of each fault as it begins. */
  report?: ((name: FaultName) => void) | undefined;
}

/** Has one fault after another happen until the time is up. */
export async function happen(on: Installation, { seed, ms, names, calm, report = () => {} }: Schedule): Promise<Happened[]> {
  const random = seeded(seed);
  const happened: Happened[] = [];
  const end = performance.now() + ms;
  for (const name of order(random, names)) {
    await delay(between(random, 500, 2500));
    if (performance.now() > end) break;
    report(name);
    const began = performance.now();
    let mended = 0;
    await FAULTS[name](on, random, { mended: () => (mended = performance.now()) });
    happened.push({ name, began, mended: mended || performance.now(), over: performance.now() });
    await calm();
  }
  return happened;
}
