import { invalid } from "../../../core/errors/errors.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { asciiName } from "../../../core/values/host-name.ts";
import { DATA_TYPES, dataIn, isDataOf } from "./record-data.ts";
import type { DnsRecordChange } from "./record-schemas.ts";

/** A record to write; omitted fields are not sent. */
export type WrittenRecord = Static<typeof DnsRecordChange>;

/** The provider chooses the TTL. */
export const AUTOMATIC_TTL = 1;

/** The types the provider can proxy. */
export const PROXIABLE: ReadonlySet<string> = new Set(["A", "AAAA", "CNAME"]);
/** The types with a separate priority outside their data; the provider accepts none for others. */
const PRIORITISED: ReadonlySet<string> = new Set(["MX", "URI"]);
/** The types whose content is a host name. */
const HOSTS: ReadonlySet<string> = new Set(["CNAME", "MX", "NS", "PTR"]);

const isGiven = <T>(value: T | null | undefined): value is T => value !== null && value !== undefined;

/** The data of a record, and its separate priority, if any. @throws 422 */
function dataOf(type: string, { content, data, priority }: WrittenRecord): object {
  if (isGiven(data)) {
    if (!isDataOf(type, data)) throw invalid({ data: "errors.validation" });
    if (isGiven(priority) && isGiven(data["priority"]) && data["priority"] !== priority)
      throw invalid({ priority: "errors.validation" });
    return type === "URI" && isGiven(priority) ? { data, priority } : { data };
  }
  const read = dataIn(type, content, priority ?? null);
  if (!read) throw invalid({ content: "errors.validation" });
  // Two different priorities for one record are ambiguous.
  if (isGiven(priority) && isGiven(read["priority"]) && read["priority"] !== priority)
    throw invalid({ priority: "errors.validation" });
  if (type !== "URI") return { data: read };
  const { priority: own, ...rest } = read;
  return { data: rest, priority: own };
}

/**
 * The body of a record for the provider (assets §7, "DNS"): content or data by its type, names in ASCII, and the optional fields that the
 * body contains and the type supports.
 * @throws 422 for a blank name, for content that does not fit the type, and for data that the type does not accept
 */
export function recordBody(written: WrittenRecord): Record<string, unknown> {
  const { name, content, ttl, proxied, priority, comment, data } = written;
  const type = written.type.toUpperCase();
  const host = asciiName(name);
  if (host === "") throw invalid({ name: "errors.validation" });
  const isData = DATA_TYPES.has(type);
  if (!isData && isGiven(data)) throw invalid({ data: "errors.validation" });
  return {
    type,
    name: host,
    ...(isData ? dataOf(type, written) : { content: HOSTS.has(type) ? asciiContent(content) : content }),
    ...(ttl !== undefined && { ttl }),
    ...(PROXIABLE.has(type) && proxied !== undefined && { proxied }),
    ...(!isData && PRIORITISED.has(type) && isGiven(priority) && { priority }),
    // An empty comment deletes the stored one.
    ...(comment !== undefined && { comment: comment ?? "" }),
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
const asciiContent = (host: string): string => (/^[\u0000-\u007f]*$/.test(host) ? host : asciiName(host));
