import { catalogue } from "./catalogue/catalogue.ts";
import type { ReadersDeclaration } from "./module.ts";
import { grantsThatMeet } from "./permissions.ts";

/**
 * The client of a record, as SQL.
 * @param kind a kind of record that declares its client
 * @param alias what the statement calls the record's row
 * @throws TypeError for a kind that no module declares, and for one without a single client
 */
export function clientOf(kind: string, alias = "t"): string {
  const client = catalogue().records.get(kind)?.client;
  if (!client || client === "several") throw new TypeError(`no module says whose client a '${kind}' is`);
  return client.of.replaceAll(/\bt\./g, `${alias}.`);
}

/**
 * The client of a record of any kind, as SQL: null for a record without a client and for kinds that have none.
 * @param record the SQL of its organisation, kind and id; none of them names an alias `t`
 */
export function clientOfAny({ organisation, kind, id }: { organisation: string; kind: string; id: string }): string {
  const cases = [...catalogue().records].flatMap(([name, { client }]) =>
    client && client !== "several"
      ? `when '${name}' then (select ${client.of} from ${client.table} t where t.organisation_id = ${organisation} and t.id = ${id})`
      : [],
  );
  return `case ${kind} ${cases.join("\n    ")} end`;
}

/** Who reads records of a kind; undefined for kinds that are read with another record or by no permission of their own. */
export const readersOf = (kind: string): ReadersDeclaration | undefined => catalogue().records.get(kind)?.readers;

/** Stored grants of which one reads records of a kind that are not the reader's own; empty for kinds without readers. */
export function grantsReading(kind: string): readonly string[] {
  const readers = readersOf(kind);
  if (!readers) return [];
  return grantsThatMeet(readers.own ? `${readers.permission}:any` : readers.permission);
}
