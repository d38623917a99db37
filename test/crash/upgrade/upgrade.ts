import { setTimeout as delay } from "node:timers/promises";
import { rest } from "../database.ts";
import { Clients, type Phase } from "./clients.ts";
import { Installation } from "./installation.ts";
import type { Failure } from "./journal.ts";
import { type LockWait, LockWaits } from "./lock-waits.ts";
import { Release } from "./release.ts";

export interface UpgradePlan {
  /** The commit of the older release. */
  from: string;
  /** A folder that has the older release, or gets it. */
  folder: string;
  /** Rows of each filled table. */
  rows: number;
  clients: number;
  /** Receives a sentence for each step of the roll. */
  log?: (line: string) => void;
}

/** What came of an upgrade. */
export interface UpgradeOutcome {
  phases: Phase[];
  failures: Failure[];
  /** Waits for a lock of a second or more, and the longest of all in milliseconds. */
  lockWaits: LockWait[];
  longestLockWait: number;
  /** Lost and doubled writes and messages. */
  differences: string[];
  /** What the nodes logged. */
  logs: Record<string, string>;
  /** The steps of the schema that ran. */
  steps: string[];
}

/** With it nodes of a version that does not seal its packets and newer ones understand each other. */
const MIXED = { SERVICE_PACKETS_UNSIGNED: "accept" };
/** How long clients work before, between and after the steps of the roll, in milliseconds. */
const BETWEEN = 3000;
/** Often enough a supervisor starts a migration again that was refused. */
const ATTEMPTS = 4;

/** Brings the schema to this version while the older nodes serve. @throws Error if each attempt was refused */
async function migrateUnderLoad(office: Installation, log: (line: string) => void): Promise<string[]> {
  const present = Release.present;
  for (let attempt = 1; ; attempt++)
    try {
      return (await present.cli(office.ownerSettings, "migrate")).applied;
    } catch (error) {
      const { code, stderr, stdout } = error as { code?: number; stderr?: string; stdout?: string };
      log(`The migration was refused: ${String(stderr || stdout).trim()}`);
      if (code !== 2 || attempt === ATTEMPTS) throw error;
    }
}

/**
 * Rolls an installation from an older release to this version as docs/nodes.md says, while clients work: the schema, then one node after
 * another with unsealed packets, then each again without.
 */
export async function upgrade({ from, folder, rows, clients: count, log = () => {} }: UpgradePlan): Promise<UpgradeOutcome> {
  const began = performance.now();
  const say = (line: string) => log(`${String(Math.round((performance.now() - began) / 1000)).padStart(5)} s  ${line}`);
  const office = new Installation();
  const lockWaits = new LockWaits();
  try {
    const older = await Release.of(from, folder);
    say("the older release is installed");
    await office.open(older, rows);
    say(`its nodes serve ${rows} rows of each kind`);
    const clients = new Clients(office.place);
    lockWaits.start(office.database.server.url("superuser"));
    clients.start(count);
    let steps: string[] = [];
    try {
      await delay(2 * BETWEEN);
      clients.enter("the schema");
      steps = await migrateUnderLoad(office, say);
      await delay(BETWEEN);
      say(`${steps.length} steps: ${phaseLine(clients.phases.at(-1) as Phase)}`);
      const [gateway1, gateway2, worker1, worker2] = office.nodes as [Node, Node, Node, Node];
      // Gateways and workers are rolled at the same time, each group one node after another.
      const waves = [
        [worker1, gateway1],
        [gateway2, worker2],
      ];
      for (const [settings, what] of [
        [MIXED, "to this version"],
        [{}, "to sealed packets"],
      ] as const)
        for (const wave of waves) {
          const phase = `${wave.map(({ name }) => name).join(", ")} ${what}`;
          clients.enter(phase);
          await Promise.all(wave.map((node) => office.replace(node, Release.present, settings)));
          await delay(BETWEEN);
          say(phaseLine(clients.phases.at(-1) as Phase));
        }
      clients.enter("after");
      await delay(BETWEEN);
    } finally {
      await clients.stop();
    }
    const { longest } = lockWaits;
    const waits = await lockWaits.stop(1000);
    const left = await rest(office.database);
    const { journal, phases } = clients;
    const differences = await office.database.asOwner((sql) => journal.differences(sql));
    if (left !== 0) differences.push(`${left} jobs or events are left`);
    const messages = office.received();
    for (const [title, { state, id }] of journal.created.tasks) {
      if (state !== "acknowledged") continue;
      const ids = messages.get(id as string)?.size ?? 0;
      if (ids !== 1) differences.push(`task '${title}' has ${ids} messages to the webhook`);
    }
    return {
      phases,
      failures: journal.failures,
      lockWaits: waits,
      longestLockWait: longest,
      differences,
      logs: office.logs,
      steps,
    };
  } catch (error) {
    const logs = Object.entries(office.logs).map(([name, text]) => `${name}:\n${text.slice(-1000)}`);
    throw new Error(`the upgrade broke off; the nodes said\n${logs.join("\n")}`, { cause: error });
  } finally {
    await office.close();
  }
}

type Node = Installation["nodes"][number];

/** Whether nothing failed, waited or was lost. */
export const isSmooth = ({ failures, lockWaits, differences }: UpgradeOutcome): boolean =>
  failures.length + lockWaits.length + differences.length === 0;

const phaseLine = ({ name, requests, failed, slowest }: Phase): string =>
  `${name.padEnd(40)} ${String(requests).padStart(6)} requests ${String(failed).padStart(4)} failed  slowest ${slowest} ms`;

/** Some lines for people. */
export function upgradeLines({ steps, phases, failures, lockWaits, longestLockWait, differences }: UpgradeOutcome): string {
  const requests = phases.reduce((sum, phase) => sum + phase.requests, 0);
  return [
    `upgrade  ${steps.length} steps of the schema, ${requests} requests: ${failures.length} failed; ${lockWaits.length} waits for a lock of a second or more, ` +
      `the longest ${longestLockWait} ms; ${differences.length} differences`,
    ...phases.map((phase) => `         ${phaseLine(phase)}`),
    ...failures.slice(0, 30).map(({ phase, act, status, text }) => `         ${phase}: ${act} ${status} ${text}`),
    ...lockWaits.slice(0, 10).map(({ query, ms }) => `         waited ${ms} ms: ${query}`),
    ...differences.slice(0, 20).map((difference) => `         ${difference}`),
  ].join("\n");
}
