import { setTimeout as delay } from "node:timers/promises";
import { killing } from "../database.ts";
import { type Counts, findings, titleOf } from "./findings.ts";
import { Office, VICTIMS, type Victim } from "./office.ts";
import { settle } from "./settling.ts";

export interface EventsPlan {
  writes: number;
  kills: Record<Victim, number>;
}

/** What came of a run. */
export interface EventsOutcome extends Counts {
  plan: EventsPlan;
  /** Lost and doubled work, and answers that a crash does not explain. */
  differences: string[];
  /** Calls that were made again because no answer came. */
  calledAgain: number;
  seconds: number;
}

const CLIENTS = 8;

/** Makes all tasks, some at a time, each until it is answered. @param done called after each */
async function write(office: Office, writes: number, done: () => void): Promise<void> {
  let next = 0;
  const client = async () => {
    while (next < writes) {
      const n = next++;
      const user_id = office.people[n % office.people.length]?.accountId;
      const task = { title: titleOf(n), assignees: [{ user_id, is_primary: true }] };
      await office.call("POST", "/tasks", task, `task-${n}`).catch((error: Error) => office.unexpected.push(error.message));
      done();
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

/**
 * Makes tasks that notify, set off a rule and go to webhooks while the service, PostgreSQL and the receivers are killed, and compares what
 * arrived with what happened.
 */
export async function crashEvents(plan: EventsPlan): Promise<EventsOutcome> {
  const office = new Office();
  const began = Date.now();
  try {
    await office.open();
    let done = 0;
    let isBusy = false;
    const kill = async (victim: Victim) => {
      // One at a time: a service that starts while PostgreSQL recovers is another trial.
      while (isBusy) await delay(20);
      isBusy = true;
      await office.kill(victim).finally(() => (isBusy = false));
    };
    await Promise.all([
      write(office, plan.writes, () => (done += 1)),
      ...VICTIMS.map((victim) =>
        killing(
          plan.kills[victim],
          plan.writes,
          () => done,
          () => kill(victim),
        ),
      ),
    ]);
    const stuck = await settle(office);
    if (stuck !== 0) process.stderr.write(`${office.said.slice(-4000)}\n`);
    const { counts, differences } = await office.database.asOwner((sql) => findings(office, sql, plan.writes));
    return {
      plan,
      ...counts,
      differences: [
        ...office.unexpected,
        ...office.channels.complaints,
        ...office.webhooks.complaints,
        ...(stuck === 0 ? [] : [`${stuck} jobs, events or deliveries are left`]),
        ...differences,
      ],
      calledAgain: office.repeated,
      seconds: Math.round((Date.now() - began) / 1000),
    };
  } finally {
    await office.close();
  }
}

/** A few lines for people. */
export function eventsLine({ plan, differences, ...counts }: EventsOutcome): string {
  const kills = VICTIMS.map((victim) => `${victim} ${plan.kills[victim]}`).join(", ");
  return [
    `events   killed: ${kills}; ${plan.writes} writes, ${counts.events} events, ${counts.runs} runs, ` +
      `${counts.mails} mails, ${counts.items} items in the room, ${counts.messages} messages to webhooks: ${differences.length} differences  ` +
      `(mails and items again after a lost answer ${counts.repeated}, messages again under the same id ${counts.messagesRepeated}, ` +
      `calls made again ${counts.calledAgain}; ${counts.seconds} s)`,
    ...differences.slice(0, 20).map((difference) => `         ${difference}`),
  ].join("\n");
}
