import { newId } from "../../../core/database/model.ts";
import { enqueue, queryOne } from "../../../core/database/query.ts";
import { seal, unsealed } from "../../../core/database/sealed.ts";
import { newVapidKeys, type VapidKeys } from "../../../core/providers/push/push.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { PushKeys } from "../models.ts";

/** A stored key pair with a sealed private key. */
export interface StoredKeys {
  id: string;
  organisation_id: string;
  public_key: string;
  private_key: string;
}

export const KEYS = statement(
  "select id, organisation_id, public_key, private_key from notification_push_keys where organisation_id = $1",
);
// Devices are registered for the public key: of two concurrent first uses, the second keeps the existing pair.
const MAKE = statement(`insert into notification_push_keys (id, organisation_id, public_key, private_key) values ($1, $2, $3, $4)
  on conflict (organisation_id) do nothing`);

/** The running organisation's key pair, created on first use and never replaced (platform chapter §5.7). Call it in a write. */
export async function organisationKeys(): Promise<StoredKeys> {
  const { id: organisation } = request().organisation;
  const stored = await queryOne<StoredKeys>(KEYS, [organisation]);
  if (stored) return stored;
  const { publicKey, privateKey } = await newVapidKeys();
  const id = newId();
  const place = { table: PushKeys.table, column: "private_key", organisation, row: id };
  enqueue(MAKE, [id, organisation, publicKey, seal(privateKey, place)]);
  return (await queryOne<StoredKeys>(KEYS, [organisation])) as StoredKeys;
}

/** A key pair ready to sign; null if the private key cannot be unsealed. */
export function openKeys(stored: StoredKeys): VapidKeys | null {
  const privateKey = unsealed(PushKeys, stored, "private_key");
  return privateKey === null ? null : { publicKey: stored.public_key, privateKey };
}
