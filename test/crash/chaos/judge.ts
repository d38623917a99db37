import type pg from "pg";
import type { MollieSimulator } from "../../simulators/payment.ts";
import type { WebhookReceiver } from "../../simulators/webhook-receiver.ts";
import { audit } from "../../support/money/audit.ts";
import { BEGINNING, delta } from "../../support/poller.ts";
import { Journal } from "./journal.ts";
import { type Office, REPORTED_EVENTS } from "./office.ts";

/** What a judge found, each in a sentence. */
export interface Verdict {
  lost: string[];
  twice: string[];
  leaked: string[];
  /** What neither a fault nor one of these explains. */
  other: string[];
}

interface Row {
  id: string;
  [field: string]: unknown;
}

/** Every row of a list, by its id, as the organisation's owner reads it. */
async function rowsOf({ tenant: { organisation, host, owner }, port }: Office, path: string): Promise<Row[]> {
  const journal = new Journal(`judge of ${organisation.slug}`, port, { host, key: owner.key });
  return (await delta((address) => journal.read(address), path, BEGINNING)).items as Row[];
}

const counted = (keys: readonly string[]): Map<string, number> =>
  keys.reduce((counts, key) => counts.set(key, (counts.get(key) ?? 0) + 1), new Map<string, number>());
const repeated = (what: string, keys: readonly string[]): string[] =>
  [...counted(keys)].flatMap(([key, times]) => (times > 1 ? [`${what} ${key} is there ${times} times`] : []));

/** Compares the journals of an organisation's clients with what the API shows. */
async function judgeRows(office: Office, verdict: Verdict): Promise<void> {
  const { clients } = office;
  const slug = office.tenant.organisation.slug;
  const [companies, hours, invoices] = [
    await rowsOf(office, "/companies"),
    await rowsOf(office, "/time/entries?all_users=true"),
    await rowsOf(office, "/invoicing/invoices"),
  ];
  const stored = new Map([...companies, ...hours, ...invoices].map((row) => [row.id, row]));
  const lacks = (id: string, what: string) => {
    if (!stored.has(id)) verdict.lost.push(`${what} was acknowledged and is not there`);
    return stored.get(id);
  };
  for (const { companies: known, hours: logged, invoices: made } of clients) {
    for (const [id, { name, city }] of known) {
      const row = lacks(id, name);
      if (row && (row["name"] !== name || (row["city"] ?? "") !== city))
        verdict.lost.push(`${name} is in '${row["city"]}', not in '${city}' as acknowledged`);
    }
    for (const [id, description] of logged) lacks(id, description);
    for (const [id, { number, paid }] of made) {
      const row = lacks(id, `invoice ${number ?? id}`);
      if (!row) continue;
      if (number !== null && row["number"] !== number) verdict.lost.push(`invoice ${number} is numbered ${row["number"]}`);
      if (Number(row["paid_total"]) !== paid) {
        const found = Number(row["paid_total"]) > paid ? verdict.twice : verdict.lost;
        found.push(`invoice ${number} has ${row["paid_total"]} paid, not ${paid}`);
      }
    }
  }
  verdict.twice.push(
    ...repeated(
      "client",
      companies.map(({ name }) => String(name)),
    ),
    ...repeated(
      "hour",
      hours.map(({ description }) => String(description)),
    ),
    ...repeated(
      "number",
      invoices.flatMap(({ number }) => (number === null ? [] : [String(number)])),
    ),
  );
  // A row that no journal has was made by a call that was refused or never answered.
  const known = new Set(
    clients.flatMap((client) => [client.companies, client.hours, client.invoices].flatMap((rows) => [...rows.keys()])),
  );
  for (const { id } of stored.values()) if (!known.has(id)) verdict.twice.push(`row ${id} of ${slug} is in no journal`);
  for (const { name } of companies)
    if (!String(name).startsWith(`${slug}-`)) verdict.leaked.push(`${slug} shows the client '${name}'`);
  for (const { description } of hours)
    if (!String(description).startsWith(`${slug}-`)) verdict.leaked.push(`${slug} shows the hour '${description}'`);
}

/** Compares the events that happened with the messages that the organisation's webhook received. */
async function judgeHook(office: Office, sql: pg.Client, webhooks: WebhookReceiver, verdict: Verdict): Promise<void> {
  const { id, slug } = office.tenant.organisation;
  const { rows } = await sql.query("select id, event, entity_id from recorded where organisation_id = $1 and event = any($2)", [
    id,
    REPORTED_EVENTS,
  ]);
  const messages = webhooks.at(office.hook);
  const ids = Map.groupBy(messages, ({ data }) => String(data["id"]));
  for (const { id: event, event: name, entity_id } of rows)
    if (!ids.has(event)) verdict.lost.push(`${name} of ${entity_id} never came to the webhook of ${slug}`);
  for (const [event, came] of ids) {
    const under = new Set(came.map((message) => message.id));
    if (under.size > 1) verdict.twice.push(`event ${event} came to the webhook of ${slug} under ${under.size} ids`);
    if (!rows.some((row) => row.id === event)) verdict.leaked.push(`the webhook of ${slug} got the event ${event} of another`);
  }
  verdict.twice.push(
    ...repeated(
      "event",
      rows.map(({ event, entity_id }) => `${event} of ${entity_id}`),
    ),
  );
}

/**
 * Compares all journals with the service, once nothing is left to do.
 * @param sql as the role that owns the tables
 */
export async function judge(
  offices: readonly Office[],
  sql: pg.Client,
  { provider, webhooks }: { provider: MollieSimulator; webhooks: WebhookReceiver },
): Promise<Verdict> {
  const verdict: Verdict = { lost: [], twice: [], leaked: [], other: [...provider.complaints, ...webhooks.complaints] };
  for (const office of offices) {
    await judgeRows(office, verdict);
    await judgeHook(office, sql, webhooks, verdict);
    const { id, slug } = office.tenant.organisation;
    for (const difference of await audit(sql, id)) verdict.other.push(`${slug}: ${difference}`);
    for (const { journal } of office.clients)
      for (const sentence of journal.unexpected) {
        const kind = (["lost", "leaked"] as const).find((word) => sentence.startsWith(`${word}: `));
        verdict[kind ?? "other"].push(kind ? sentence.slice(kind.length + 2) : sentence);
      }
  }
  const attempts = await sql.query("select external_id from payment_intents where external_id is not null");
  const known = new Set(attempts.rows.map(({ external_id }) => external_id));
  for (const id of provider.payments.keys())
    if (!known.has(id)) verdict.twice.push(`payment ${id} at the provider belongs to no attempt`);
  return verdict;
}
