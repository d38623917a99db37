import { asciiName } from "../../../core/values/host-name.ts";
import { AUTOMATIC_TTL } from "./record-body.ts";

type Row = Readonly<Record<string, unknown>>;

/** Content for comparison: without quotes, a trailing dot or upper case, which the provider may change. */
const plain = (content: unknown): string =>
  String(content ?? "")
    .replaceAll('"', "")
    .replace(/\.$/, "")
    .toLowerCase();

/** Whether a sent name, possibly relative to its zone, is a record's name. */
function isNameOf(sent: string, row: Row, zone: string): boolean {
  const name = asciiName(String(row["name"] ?? ""));
  const apex = asciiName(zone);
  return name === sent || (sent === "@" && name === apex) || name === `${sent}.${apex}`;
}

function hasData(data: Row, row: Row): boolean {
  const stored = (row["data"] ?? {}) as Row;
  return Object.entries(data).every(([field, value]) => plain(stored[field]) === plain(value));
}

/**
 * The record of a zone that matches a create in every respect; undefined if none does.
 * @param sent the body of the create
 * @param rows the records of the zone in the provider's form
 * @param zone the name of the zone
 */
export function identicalIn<T extends Row>(rows: readonly T[], sent: Row, zone: string): T | undefined {
  return rows.find(
    (row) =>
      row["type"] === sent["type"] &&
      isNameOf(sent["name"] as string, row, zone) &&
      (sent["data"] ? hasData(sent["data"] as Row, row) : plain(row["content"]) === plain(sent["content"])) &&
      (sent["priority"] === undefined || row["priority"] === sent["priority"]) &&
      (row["proxied"] ?? false) === (sent["proxied"] ?? false) &&
      // The provider sets the TTL of proxied records.
      (row["proxied"] === true || (row["ttl"] ?? AUTOMATIC_TTL) === sent["ttl"]) &&
      (row["comment"] || "") === (sent["comment"] || ""),
  );
}
