import { invalid } from "../../../core/declare/errors.ts";
import type { Static } from "../../../core/declare/schema.ts";
import { asciiName } from "../../../core/values/host-name.ts";
import { DATA_TYPES, dataIn, isDataOf } from "./record-data.ts";
import type { DnsRecordChange } from "./record-schemas.ts";

/** A record as it is asked for; what it leaves out is not sent. */
export type WrittenRecord = Static<typeof DnsRecordChange>;

/** The types that the provider can stand in front of. */
export const PROXIABLE: ReadonlySet<string> = new Set(["A", "AAAA", "CNAME"]);
/** The types with a priority of their own, outside of their data; of others the provider takes none. */
const PRIORITISED: ReadonlySet<string> = new Set(["MX", "URI"]);
/** The types whose content is a host name. */
const HOSTS: ReadonlySet<string> = new Set(["CNAME", "MX", "NS", "PTR"]);

const isGiven = <T>(value: T | null | undefined): value is T => value !== null && value !== undefined;

/** The data of a record, and its priority where that is sent apart. @throws 422 */
function dataOf(type: string, { content, data, priority }: WrittenRecord): object {
  if (isGiven(data)) {
    if (!isDataOf(type, data)) throw invalid({ data: "errors.validation" });
    if (isGiven(priority) && isGiven(data["priority"]) && data["priority"] !== priority)
      throw invalid({ priority: "errors.validation" });
    return type === "URI" && isGiven(priority) ? { data, priority } : { data };
  }
  const read = dataIn(type, content, priority ?? null);
  if (!read) throw invalid({ content: "errors.validation" });
  // Two priorities for one record: neither is the one that is meant.
  if (isGiven(priority) && isGiven(read["priority"]) && read["priority"] !== priority)
    throw invalid({ priority: "errors.validation" });
  if (type !== "URI") return { data: read };
  const { priority: own, ...rest } = read;
  return { data: rest, priority: own };
}

/**
 * What is sent of a record: content or data by its type, names in ASCII, and of the rest what the body has and the type knows (assets §7,
 * "DNS").
 * @throws 422 for content that is not of its type, and for data that it does not take
 */
export function recordBody(written: WrittenRecord): Record<string, unknown> {
  const { name, content, ttl, proxied, priority, comment, data } = written;
  const type = written.type.toUpperCase();
  const isData = DATA_TYPES.has(type);
  if (!isData && isGiven(data)) throw invalid({ data: "errors.validation" });
  return {
    type,
    name: asciiName(name),
    ...(isData ? dataOf(type, written) : { content: HOSTS.has(type) ? asciiContent(content) : content }),
    ...(ttl !== undefined && { ttl }),
    ...(PROXIABLE.has(type) && proxied !== undefined && { proxied }),
    ...(!isData && PRIORITISED.has(type) && isGiven(priority) && { priority }),
    // An empty comment takes the stored one away.
    ...(comment !== undefined && { comment: comment ?? "" }),
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
const asciiContent = (host: string): string => (/^[\u0000-\u007f]*$/.test(host) ? host : asciiName(host));
