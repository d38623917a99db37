import type pg from "pg";
import { catalogue } from "../../../core/declare/catalogue/catalogue.ts";
import type { EventJoin, EventJoinDeclaration } from "../../../core/declare/events.ts";
import { recordEvents } from "../../../core/declare/record-events.ts";
import { recordEventsOf } from "../../../core/jobs/record-changes.ts";
import type { ServiceNode } from "../../../operator/node.ts";
import { noteSeen } from "./seen.ts";

let joined = false;

/** Notes every event that a transaction of this process records, and every change of a record that is an event for webhooks. */
function observeEvents(): void {
  if (joined) return;
  joined = true;
  const all = new Set(Object.keys(recordEvents()));
  const note: EventJoin = async (recorded, changed) => {
    for (const { name } of [...recorded, ...recordEventsOf(changed, all)]) noteSeen("event", name);
  };
  (catalogue().joins as EventJoinDeclaration[]).push({ events: "all", changes: true, load: async () => note });
}

/** Notes the mails that a node hands over at once, which are kept nowhere. */
function observeMails({ broker }: ServiceNode): void {
  const call = broker.call.bind(broker) as (...asked: unknown[]) => Promise<unknown>;
  const observed = (name: string, params?: { kind?: string }, ...more: unknown[]) => {
    if (name === "mail.handOver" && params?.kind !== undefined) noteSeen("mail", params.kind);
    return call(name, params, ...more);
  };
  broker.call = observed as typeof broker.call;
}

/** Notes what a service of this process produces while it runs. */
export function observe(node: ServiceNode): void {
  observeEvents();
  observeMails(node);
}

/** Notes the mails and text messages that a service has recorded, before its database goes. */
export async function observeStored(sql: pg.Client): Promise<void> {
  for (const [kind, table] of [
    ["mail", "mails"],
    ["sms", "sms_messages"],
  ] as const)
    for (const row of (await sql.query(`select distinct kind from ${table}`)).rows) noteSeen(kind, row.kind);
}
