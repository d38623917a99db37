import type { Values } from "../database/write.ts";
import { refusal } from "../errors/errors.ts";
import type { BulkKey, BulkUpdate } from "./entity.ts";
import type { Reading } from "./readers.ts";

async function readKey(key: BulkKey | undefined, text: string | null): Promise<Reading> {
  if (!key) return { error: "impex.errors.unknown_column" };
  const word = text?.trim() ?? "";
  if (word !== "") return key.read.of(word);
  return key.clearable ? { value: null } : { error: "errors.required" };
}

/**
 * Converts the texts of a bulk update to fields of the ordinary one. References are looked up in parallel, each in one statement.
 * @throws 422 with every unreadable text under its key; the message is the first one's (platform §3)
 */
export async function readValues(keys: BulkUpdate["keys"], texts: Readonly<Record<string, string | null>>): Promise<Values> {
  const sent = Object.entries(texts);
  const read = await Promise.all(sent.map(([name, text]) => readKey(Object.hasOwn(keys, name) ? keys[name] : undefined, text)));
  const readings = sent.map(([name], index) => [name, read[index] as Reading] as const);
  // Entries, because a caller may send a key `__proto__`.
  const refused = readings.flatMap(([name, reading]) => ("error" in reading ? [[name, reading.error] as const] : []));
  const [first] = refused;
  if (first) throw refusal("validation", first[1], { fields: Object.fromEntries(refused) });
  return Object.fromEntries(
    readings.flatMap(([name, reading]) => ("value" in reading ? [[(keys[name] as BulkKey).field, reading.value]] : [])),
  );
}
