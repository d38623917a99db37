import type { Answer, Packet } from "dns-packet";

/** A mail exchanger of a domain. */
export interface MailExchanger {
  priority: number;
  exchange: string;
}

/** More than any domain has; a zone of thousands is not kept. */
const MOST_RECORDS = 100;
/** What a name of a host is written in; any other byte of a zone would be refused by the database, or fool a reader. */
const PLAIN = /^[!-~]*$/;

/** A name as it is stored: lower-case, without the dot at its end. */
const bare = (name: string): string => name.toLowerCase().replace(/\.+$/, "");

const answersOf = (reply: Packet, type: string): Answer[] => (reply.answers ?? []).filter((answer) => answer.type === type);

/** Records that are this very name's: behind an alias stand those of another. */
const own = (reply: Packet, type: string, name: string): Answer[] =>
  answersOf(reply, type).filter((answer) => bare(answer.name) === bare(name));

const hasAnswered = (reply: Packet | null): reply is Packet => reply?.rcode === "NOERROR";

/** By code unit, as nothing depends on a language here. */
const byText = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

/**
 * The name servers of a domain: each once, lower-case, without a dot at the end, sorted (assets §2.6).
 * @param reply what DNS answered, null for nothing
 * @returns none after any failure, so that none is no evidence of a missing delegation
 */
export function nameserversOf(reply: Packet | null, name: string): string[] {
  if (!hasAnswered(reply)) return [];
  const names = own(reply, "NS", name).map(({ data }) => bare(String(data)));
  return [...new Set(names.filter((one) => one !== "" && PLAIN.test(one)))].toSorted(byText).slice(0, MOST_RECORDS);
}

/** Whether a server only says who knows better (RFC 1034 §4.3.1): nothing is said about the name itself. */
const isReferral = ({ answers = [], authorities = [] }: Packet): boolean =>
  answers.length === 0 && authorities.some(({ type }) => type === "NS") && !authorities.some(({ type }) => type === "SOA");

/**
 * Whether a domain is signed: it has a DNSKEY set; it is there and has none; or it is not known, because nothing was answered, the answer is
 * a failure, or the name is not there (assets §2.6, §13.6). Keys behind an alias sign another zone.
 * @param reply what DNS answered, null for nothing
 */
export function dnssecOf(reply: Packet | null, name: string): boolean | null {
  if (!hasAnswered(reply) || isReferral(reply)) return null;
  return own(reply, "DNSKEY", name).length > 0;
}

/**
 * Where a domain takes its mail, by priority and then by name, lower-case and without a dot at the end (assets §2.6). Mail follows an alias
 * (RFC 5321 §5.1), so records behind one count.
 * @param reply what DNS answered, null for nothing
 * @returns none after any failure
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
