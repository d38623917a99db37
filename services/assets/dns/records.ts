import type { Answer, Packet } from "dns-packet";

/** A mail exchanger of a domain. */
export interface MailExchanger {
  priority: number;
  exchange: string;
}

/** More than any domain has; larger sets are cut off. */
const MOST_RECORDS = 100;
/** The characters of a host name. The database would reject other bytes, or they could deceive a reader. */
const PLAIN = /^[!-~]*$/;

/** A name as stored: lower-case, without the trailing dot. */
const bare = (name: string): string => name.toLowerCase().replace(/\.+$/, "");

const answersOf = (reply: Packet, type: string): Answer[] => (reply.answers ?? []).filter((answer) => answer.type === type);

/** Records of this exact name; records behind an alias belong to another name. */
const own = (reply: Packet, type: string, name: string): Answer[] =>
  answersOf(reply, type).filter((answer) => bare(answer.name) === bare(name));

const hasAnswered = (reply: Packet | null): reply is Packet => reply?.rcode === "NOERROR";

/** Compares by code unit, independent of language. */
const byText = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

/**
 * The name servers of a domain: unique, lower-case, without a trailing dot, sorted (assets §2.6).
 * @param reply the DNS response, null without one
 * @returns empty on any failure, so an empty list does not prove the delegation is missing
 */
export function nameserversOf(reply: Packet | null, name: string): string[] {
  if (!hasAnswered(reply)) return [];
  const names = own(reply, "NS", name).map(({ data }) => bare(String(data)));
  return [...new Set(names.filter((one) => one !== "" && PLAIN.test(one)))].toSorted(byText).slice(0, MOST_RECORDS);
}

/** Whether a response only refers to other servers (RFC 1034 §4.3.1), so it states nothing about the name itself. */
const isReferral = ({ answers = [], authorities = [] }: Packet): boolean =>
  answers.length === 0 && authorities.some(({ type }) => type === "NS") && !authorities.some(({ type }) => type === "SOA");

/**
 * Whether a domain is signed (assets §2.6, §13.6): true with a DNSKEY set, false for an existing name without one. Null if unknown: no
 * response, a failure, a referral, or a name that does not exist. Keys behind an alias sign another zone.
 * @param reply the DNS response, null without one
 */
export function dnssecOf(reply: Packet | null, name: string): boolean | null {
  if (!hasAnswered(reply) || isReferral(reply)) return null;
  return own(reply, "DNSKEY", name).length > 0;
}

/**
 * The mail exchangers of a domain, by priority and then by name, lower-case and without a trailing dot (assets §2.6). Mail follows an alias
 * (RFC 5321 §5.1), so records behind one count.
 * @param reply the DNS response, null without one
 * @returns empty on any failure
 */
export function mailExchangersOf(reply: Packet | null): MailExchanger[] {
  if (!hasAnswered(reply)) return [];
  const all = answersOf(reply, "MX").map(({ data }) => {
    const { preference = 0, exchange = "" } = data as { preference?: number; exchange?: string };
    return { priority: preference, exchange: bare(exchange) };
  });
  return all
    .filter(({ exchange }) => PLAIN.test(exchange))
    .toSorted((one, other) => one.priority - other.priority || byText(one.exchange, other.exchange))
    .slice(0, MOST_RECORDS);
}
