import { columns } from "../../../core/database/model.ts";
import { enqueue } from "../../../core/database/query.ts";
import { unsealed } from "../../../core/database/sealed.ts";
import { type PushTarget, push, type VapidKeys } from "../../../core/providers/push/push.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { shortened } from "../../../core/values/stored-text.ts";
import { PushDevice, type PushDeviceRow } from "../models.ts";

/** A device with the fields that sending needs. */
export type SendableDevice = Pick<PushDeviceRow, "id" | "organisation_id" | "account_id" | "endpoint" | "p256dh" | "auth">;

/** The devices of the accounts `$2`. */
export const DEVICES = statement(`select ${columns(PushDevice, "t")} from notification_push_devices t
  where t.organisation_id = $1 and t.account_id = any($2::uuid[]) order by t.created_at, t.id`);
const FORGET = statement("delete from notification_push_devices where organisation_id = $1 and id = any($2::uuid[])");
const REACHED = statement(`update notification_push_devices set last_success_at = statement_timestamp(), version = version + 1,
    updated_at = statement_timestamp() where organisation_id = $1 and id = any($2::uuid[])`);

/** The message to a person's devices. */
export interface PushMessage {
  title: string;
  body: string;
  /** The absolute address a click opens. */
  url: string;
  count: number;
}

/** The outcome of a push to all devices of a person. */
export interface PushedToAll {
  taken: string[];
  gone: string[];
  /** The error of the first failure; null if none failed. */
  error: string | null;
  retryAfter: number | null;
}

function targetOf(device: SendableDevice): PushTarget | null {
  const [endpoint, p256dh, auth] = (["endpoint", "p256dh", "auth"] as const).map((name) => unsealed(PushDevice, device, name));
  return endpoint && p256dh && auth ? { endpoint, p256dh, auth } : null;
}

/** Most characters of a text: a push holds 4,096 bytes, and a character takes up to three. */
const MOST = 600;
const cut = (text: string): string => (text.length > MOST ? `${shortened(text, MOST - 1)}…` : text);

/** Pushes to a person's devices in parallel, outside any transaction. @param base the organisation's own address */
export async function pushToAll(
  keys: VapidKeys,
  base: string,
  devices: readonly SendableDevice[],
  { title, body, url, count }: PushMessage,
  signal?: AbortSignal,
): Promise<PushedToAll> {
  const message = JSON.stringify({ title: cut(title), body: cut(body), url, count });
  const contact = base.replace(/^http:/, "https:");
  const outcomes = await Promise.all(
    devices.map(async (device) => {
      const target = targetOf(device);
      // A device whose fields cannot be unsealed counts as absent (conventions §16); its row stays.
      return target ? push(keys, contact, target, message, signal) : null;
    }),
  );
  const idsOf = (state: "taken" | "gone") => devices.flatMap(({ id }, at) => (outcomes[at]?.state === state ? [id] : []));
  const failure = outcomes.find((outcome) => outcome?.state === "failed");
  return {
    taken: idsOf("taken"),
    gone: idsOf("gone"),
    error: failure?.error ?? null,
    retryAfter: failure?.retryAfter ?? null,
  };
}

/** Stores which devices accepted a push, and deletes those that are gone, in the running write. */
export function noteDevices({ taken, gone }: Pick<PushedToAll, "taken" | "gone">): void {
  const { id } = request().organisation;
  if (gone.length > 0) enqueue(FORGET, [id, gone]);
  if (taken.length > 0) enqueue(REACHED, [id, taken]);
}
