import type pg from "pg";
import { catalogue } from "../../../core/declare/catalogue/catalogue.ts";
import type { EventHook, EventHookDeclaration } from "../../../core/declare/events.ts";
import { recordEvents } from "../../../core/declare/record-events.ts";
import { recordEventsOf } from "../../../core/trail/record-changes.ts";
import type { ServiceNode } from "../../../operator/node.ts";
import { noteSeen } from "./seen.ts";

let joined = false;

/** Records every event that a transaction of this process emits, and every record change that is a webhook event. */
function observeEvents(): void {
  if (joined) return;
  joined = true;
  const all = new Set(Object.keys(recordEvents()));
  const note: EventHook = async (recorded, changed) => {
    for (const { name } of [...recorded, ...(await recordEventsOf(changed, all))]) noteSeen("event", name);
  };
  (catalogue().eventHooks as EventHookDeclaration[]).push({ events: "all", changes: true, load: async () => note });
}

/** Records mails that a node sends at once, which are not stored. */
function observeMails({ broker }: ServiceNode): void {
  const call = broker.call.bind(broker) as (...asked: unknown[]) => Promise<unknown>;
  const observed = (name: string, params?: { kind?: string }, ...more: unknown[]) => {
    if (name === "mail.handOver" && params?.kind !== undefined) noteSeen("mail", params.kind);
    return call(name, params, ...more);
  };
  broker.call = observed as typeof broker.call;
}

/** Records what a service of this process produces while it runs. */
export function observe(node: ServiceNode): void {
  observeEvents();
  observeMails(node);
}

/** Records the stored mails and text messages of a service before its database is dropped. */
export async function observeStored(sql: pg.Client): Promise<void> {
  for (const [kind, table] of [
    ["mail", "mails"],
    ["sms", "sms_messages"],
  ] as const)
    for (const row of (await sql.query(`select distinct kind from ${table}`)).rows) noteSeen(kind, row.kind);
}
