import { catalogue } from "./catalogue/catalogue.ts";
import type { ReadersDeclaration } from "./module.ts";
import { grantsThatMeet } from "./permissions.ts";

/**
 * The client of a record, as SQL.
 * @param kind a type of record that declares its client
 * @param alias the statement's alias of the record's row
 * @throws TypeError for a type that no module declares, or that has no single client
 */
export function clientOf(kind: string, alias = "t"): string {
  const client = catalogue().records.get(kind)?.client;
  if (!client || client === "several") throw new TypeError(`no module declares the client of a '${kind}'`);
  return client.of.replaceAll(/\bt\./g, `${alias}.`);
}

/**
 * The client of a record of any type, as SQL: null for a record without a client and for types that have none.
 * @param record SQL of its organisation, type and id; none of them uses an alias `t`
 * @param types those that can occur, by default all: PostgreSQL opens the table of each whenever it runs the statement
 */
export function clientOfAny(
  { organisation, kind, id }: { organisation: string; kind: string; id: string },
  types?: ReadonlySet<string>,
): string {
  const cases = [...catalogue().records].flatMap(([name, { client }]) =>
    client && client !== "several" && (types?.has(name) ?? true)
      ? `when '${name}' then (select ${client.of} from ${client.table} t where t.organisation_id = ${organisation} and t.id = ${id})`
      : [],
  );
  return cases.length === 0 ? "null::uuid" : `case ${kind} ${cases.join("\n    ")} end`;
}

/**
 * Whether a caller with these grants reads other people's records of a type. No caller reads a type without readers of its own this way.
 */
export const readsAny = (kind: string, grants: readonly string[]): boolean =>
  grantsReading(kind).some((grant) => grants.includes(grant));

/** Who reads a type of record; undefined for types that are read with another record or without a permission of their own. */
export const readersOf = (kind: string): ReadersDeclaration | undefined => catalogue().records.get(kind)?.readers;

/** Stored grants, any of which allows reading others' records of a type; empty for types without readers. */
export function grantsReading(kind: string): readonly string[] {
  const readers = readersOf(kind);
  if (!readers) return [];
  return grantsThatMeet(readers.own ? `${readers.permission}:any` : readers.permission);
}
