import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import type pg from "pg";
import type { MollieSimulator } from "../../../simulators/payment.ts";
import { audit, counted } from "../../../support/money/audit.ts";
import type { Tenant } from "../../../support/service.ts";
import { Invoicing } from "../documents/invoicing.ts";

/** Where races are run: one node or several, over one database, with one simulated payment provider. */
export interface Course {
  sql: pg.Client;
  ports: readonly number[];
  provider: MollieSimulator;
  /** An organisation whose callers go to the nodes in turn. */
  tenant(): Promise<Tenant>;
}

/** A race with an organisation of its own. */
export interface Place extends Course {
  books: Invoicing;
}

/** Calls that meet, of money §16. */
export interface Race {
  name: string;
  /** Writes the shared rows of the rounds. */
  prepare?(place: Place): Promise<unknown>;
  /** Lets them meet once, and looks at what came of it. Gives how it ended, in a word or two. */
  round(place: Place, round: number): Promise<string>;
}

/** The races that `RACES` names by part of their names; all of them without it. */
export const wanted = (races: readonly Race[]): Race[] => races.filter(({ name }) => name.includes(process.env["RACES"] ?? ""));

/** Makes promises at the same moment. */
export const many = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

/** Milliseconds by which the calls of a round are apart, in turn: which comes first is not to depend on the machine alone. */
const APART = [40, 0, 15, 2, 6];

/** Lets calls meet: another goes first in each round. Gives their answers in the order they are named. */
export const meet = <T extends readonly (() => Promise<unknown>)[]>(
  round: number,
  ...calls: T
): Promise<{ [K in keyof T]: Awaited<ReturnType<T[K]>> }> => {
  const apart = APART[Math.floor(round / calls.length) % APART.length] as number;
  const late = (index: number) => ((index + round) % calls.length) * apart;
  return Promise.all(calls.map((call, index) => delay(late(index)).then(call))) as never;
};

/**
 * Runs a race for some rounds in an organisation of its own; the books must add up afterwards.
 * @returns the figures of the race, as one line
 */
export async function run({ name, prepare, round }: Race, course: Course, rounds: number): Promise<string> {
  const tenant = await course.tenant();
  const place = { ...course, books: await Invoicing.open(course, tenant) };
  await prepare?.(place);
  const ends = new Map<string, number>();
  const began = performance.now();
  for (let turn = 0; turn < rounds; turn++) {
    const end = await round(place, turn);
    ends.set(end, (ends.get(end) ?? 0) + 1);
  }
  const took = Math.round(performance.now() - began);
  expect(await audit(course.sql, tenant.organisation.id)).to.deep.equal([]);
  expect(course.provider.complaints).to.deep.equal([]);
  const { issued, payments } = await counted(course.sql, tenant.organisation.id);
  const reported = [...ends].map(([end, count]) => `${end} ${count}`).join(", ");
  return `${name}: ${rounds} rounds in ${took} ms: ${reported}; ${issued} documents issued, ${payments} payments, 0 differences`;
}
