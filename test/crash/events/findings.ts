import type pg from "pg";
import { MOVED_TO, type Office, REPORTED_EVENTS } from "./office.ts";

/** What arrived, and how often again. */
export interface Counts {
  events: number;
  runs: number;
  mails: number;
  items: number;
  messages: number;
  /** Mails and items of the room that came again after an attempt of which no answer was written down. */
  repeated: number;
  /** Messages of webhooks that came again under the same id. */
  messagesRepeated: number;
}

/** A task as the plan names it. */
export const titleOf = (n: number): string => `Order ${String(n).padStart(5, "0")}`;

const TASKS = "select id, title, status from tasks where organisation_id = $1";
const RECORDED = "select id, event, entity_id from recorded where organisation_id = $1 and event = any($2) order by seq";
const ROWS = "select account_id, event_type, entity_id from notifications where organisation_id = $1";
const RUNS = "select entity_id, status, error from automation_runs where organisation_id = $1";
const SENDING = `select d.way, d.status, d.attempts, d.error, e.entity_id from notification_deliveries d
  join notification_events e on e.organisation_id = d.organisation_id and e.id = d.event_id where d.organisation_id = $1`;
const HOOKED = `select e.name as path, d.event_id, d.entity_id, d.status, d.attempts from webhook_deliveries d
  join webhook_endpoints e on e.organisation_id = d.organisation_id and e.id = d.endpoint_id where d.organisation_id = $1`;

const tally = (keys: readonly string[]): Map<string, number> =>
  keys.reduce((counts, key) => counts.set(key, (counts.get(key) ?? 0) + 1), new Map<string, number>());

/** Where a count is not one for each of the wanted, or there is anything else. */
const eachOnce = (what: string, found: readonly string[], wanted: readonly string[]): string[] => {
  const counts = tally(found);
  const others = [...counts.keys()].filter((key) => !wanted.includes(key));
  return [
    ...wanted.flatMap((key) => (counts.get(key) === 1 ? [] : [`${what} ${key}: ${counts.get(key) ?? 0} instead of 1`])),
    ...others.map((key) => `${what} ${key}: asked for by no event`),
  ];
};

/** A difference for each row whose arrivals do not fit its attempts: one that arrived twice must have been attempted twice. */
const arrivedAsTried = (what: string, arrived: ReadonlyMap<string, number>, rows: readonly { key: string; attempts: number }[]) =>
  rows.flatMap(({ key, attempts }) => {
    const times = arrived.get(key) ?? 0;
    return times >= 1 && times <= attempts ? [] : [`${what} ${key} arrived ${times} times in ${attempts} attempts`];
  });

const surplus = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((sum, times) => sum + times - 1, 0);

/** Compares arrivals with records, and names each difference. */
export async function findings(
  office: Office,
  sql: pg.ClientBase,
  writes: number,
): Promise<{ counts: Counts; differences: string[] }> {
  const { tenant, people, mailbox, channels, hooks } = office;
  const { id: organisation } = tenant.organisation;
  const read = async (text: string, ...more: unknown[]) => (await sql.query(text, [organisation, ...more])).rows;
  const [tasks, recorded, rows, runs, sending, hooked] = [
    await read(TASKS),
    await read(RECORDED, REPORTED_EVENTS),
    await read(ROWS),
    await read(RUNS),
    await read(SENDING),
    await read(HOOKED),
  ];
  const of = (event: string): string[] => recorded.filter((row) => row.event === event).map(({ entity_id }) => entity_id);
  const ids = tasks.map(({ id }) => id as string);
  const titles = new Map(tasks.map(({ id, title }) => [title as string, id as string]));

  const inbox = (event: string) => rows.filter(({ event_type }) => event_type === event);
  const assigneeOf = (title: string) => people[Number(title.slice(-5)) % people.length]?.accountId;
  const reported = inbox("task.assigned").map(({ account_id, entity_id }) => `${entity_id} ${account_id}`);
  const reportedByRule = inbox("automation.notify").map(({ entity_id }) => entity_id as string);

  const mailed = tally(
    mailbox.delivered.flatMap(({ mail }) =>
      [...new Set(mail.text?.match(/Order \d{5}/g))].map((title) => titles.get(title) ?? title),
    ),
  );
  const posted = tally(
    channels.taken.flatMap(({ body }) => (body["items"] as { entity_id: string }[]).map(({ entity_id }) => entity_id)),
  );
  const triedBy = (way: string) =>
    sending
      .filter((row) => row.way === way)
      .map(({ entity_id: key, attempts }) => ({ key: key as string, attempts: attempts as number }));

  const differences = [
    ...eachOnce(
      "the task",
      tasks.map(({ title }) => title),
      Array.from({ length: writes }, (_, n) => titleOf(n)),
    ),
    ...eachOnce("task.created of", of("task.created"), ids),
    ...eachOnce("task.assigned of", of("task.assigned"), ids),
    ...eachOnce(
      "the inbox row of",
      reported,
      tasks.map(({ id, title }) => `${id} ${assigneeOf(title)}`),
    ),
    ...eachOnce(
      "the run of",
      runs.map(({ entity_id }) => entity_id),
      ids,
    ),
    ...runs.filter(({ status }) => status !== "succeeded").map((run) => `a run: ${JSON.stringify(run)}`),
    ...eachOnce("the rule's row of", reportedByRule, ids),
    ...eachOnce("task.status_changed of", of("task.status_changed"), ids),
    ...tasks.filter(({ status }) => status !== MOVED_TO).map(({ title }) => `${title} was not moved on`),
    ...eachOnce(
      "the mail about",
      triedBy("email").map(({ key }) => key),
      ids,
    ),
    ...eachOnce(
      "the room's item about",
      triedBy("channel").map(({ key }) => key),
      ids,
    ),
    ...sending.filter(({ status }) => status !== "sent").map((row) => `not sent: ${JSON.stringify(row)}`),
    ...arrivedAsTried("the mail about", mailed, triedBy("email")),
    ...arrivedAsTried("the room's item about", posted, triedBy("channel")),
  ];

  let messagesRepeated = 0;
  const events = recorded.map(({ id }) => id as string);
  for (const { path, messages } of hooks) {
    const arrived = tally(messages.map(({ event }) => event));
    const deliveries = hooked.filter((row) => row.path === path);
    messagesRepeated += surplus(arrived);
    differences.push(
      ...eachOnce(
        `${path}: the delivery of`,
        deliveries.map(({ event_id }) => event_id),
        events,
      ),
      ...eachOnce(`${path}: the message of`, [...arrived.keys()], events),
      ...deliveries.filter(({ status }) => status !== "delivered").map((row) => `${path}: ${JSON.stringify(row)}`),
      ...outOfOrder(
        messages,
        recorded,
        new Set(deliveries.filter(({ attempts }) => attempts > 1).map(({ entity_id }) => entity_id)),
      ).map((record) => `${path}: the events of ${record} came out of order`),
    );
  }
  const counts = {
    events: events.length,
    runs: runs.length,
    mails: mailbox.delivered.length,
    items: [...posted.values()].reduce((sum, times) => sum + times, 0),
    messages: hooks.reduce((sum, { messages }) => sum + messages.length, 0),
    repeated: surplus(mailed) + surplus(posted),
    messagesRepeated,
  };
  return { counts, differences };
}

/** Records whose messages first came in another order than their events, though none of their deliveries failed. */
function outOfOrder(
  messages: readonly { event: string; record: string }[],
  recorded: readonly { id: string; entity_id: string }[],
  failing: ReadonlySet<string>,
): string[] {
  const wanted = Map.groupBy(recorded, ({ entity_id }) => entity_id);
  const came = Map.groupBy(messages, ({ record }) => record);
  return [...wanted].flatMap(([record, events]) => {
    const order = [...new Set(came.get(record)?.map(({ event }) => event))];
    return failing.has(record) || order.join() === events.map(({ id }) => id).join() ? [] : [record];
  });
}
