import { keyRing } from "../../core/database/sealed.ts";
import { mainSecret } from "../../operator/boot.ts";
import { countByKey, type Rotated, rotateColumn, sealedColumnsOf } from "../../operator/encryption.ts";
import { type Call, type Command, columns } from "../command.ts";

const ringOf = ({ config }: Call) => keyRing({ config, secret: mainSecret(config) });

/** Advises what to do about values that no key opens. */
function advice(unreadable: Rotated["unreadable"], known: ReadonlySet<string>): string {
  const unknown = Object.keys(unreadable).filter((id) => !known.has(id));
  const count = Object.values(unreadable).reduce((sum, one) => sum + one, 0);
  const [keys, ids] = unknown.length === 1 ? ["key", "id"] : ["keys", "ids"];
  const way =
    unknown.length > 0
      ? `put the ${keys} with the ${ids} ${unknown.join(", ")} into SERVICE_ENCRYPTION_OTHER_KEYS and run this again`
      : "damaged or moved here from elsewhere, enter it again";
  return `${count} ${count === 1 ? "secret does not open and counts" : "secrets do not open and count"} as not configured: ${way}.`;
}

export const encryptionCommands: readonly Command[] = [
  {
    name: "encryption status",
    about: "Show how many secrets each key has sealed",
    async run(call) {
      const ring = ringOf(call);
      const known = new Set(ring.map(({ id }) => id));
      const role = (id: string) => (id === ring[0].id ? "current" : known.has(id) ? "known" : "unknown");
      const tables = [];
      for (const column of await sealedColumnsOf(call.client))
        tables.push({ table: column.table, column: column.column, keys: await countByKey(call.client, column) });
      const lines = tables.flatMap(({ table, column, keys }) =>
        Object.entries(keys).map(([id, count]) => [`${table}.${column}`, id, role(id), String(count)]),
      );
      return {
        json: { current: ring[0].id, known: [...known], tables },
        text: columns([["column", "key", "", "secrets"], ...lines, ["", ring[0].id, "seals", ""]]),
      };
    },
  },
  {
    name: "encryption rotate",
    about: "Reseal every secret with the current key, while the service runs",
    details: [
      "A new key: put it into SERVICE_ENCRYPTION_OTHER_KEYS of every node and restart; then make it SERVICE_ENCRYPTION_KEY, keep the old",
      "one among the other keys, and restart; then run this; then take the old one away. With one node the first restart is not needed.",
    ],
    ownTransactions: true,
    async run(call) {
      const ring = ringOf(call);
      const tables: Rotated[] = [];
      for (const column of await sealedColumnsOf(call.client)) tables.push(await rotateColumn(call.client, column, ring));
      const unreadable: Record<string, number> = {};
      for (const [id, count] of tables.flatMap((table) => Object.entries(table.unreadable)))
        unreadable[id] = (unreadable[id] ?? 0) + count;
      const outcome = {
        json: { current: ring[0].id, tables },
        text: tables.map(({ table, column, rotated }) => `${table}.${column}: ${rotated} resealed.`),
      };
      if (Object.keys(unreadable).length === 0) return outcome;
      return { ...outcome, refused: advice(unreadable, new Set(ring.map(({ id }) => id))) };
    },
  },
];
