import type { Participant } from "../models.ts";

/** The reasons not to offer a mailbox message as a contact moment (workspace §2.5, "Gates"), in the order of the checks. */
export const GATES = [
  "already_logged",
  "suppressed_message",
  "not_a_message",
  "excluded_label",
  "suppressed_thread",
  "logged_elsewhere",
  "no_participants",
  "deferred_to_owner",
  "internal_only",
  "no_external_match",
] as const;
export type Gate = (typeof GATES)[number];

/** Labels of anything that is not a sent or received message. */
const NO_MESSAGE = new Set(["DRAFT", "SPAM", "TRASH"]);
const SENT = "SENT";

/** A participant of a message, according to its headers. */
export type Correspondent = Pick<Participant, "email" | "name" | "role">;

/** A contact with one of the addresses. */
export interface KnownContact {
  id: string;
  /** Its clients, the oldest link first. */
  clients: readonly string[];
}

/** The known facts about an address. */
export interface KnownAddress {
  contact: KnownContact | null;
  /** The colleague with this address; null for a stranger, a contact without login and every client login. */
  colleague: string | null;
}

/** The known facts about the people of a message. */
export interface KnownPeople {
  /** By lower-case address. */
  addresses: ReadonlyMap<string, KnownAddress>;
  /** Clients of contacts whose address belongs to a colleague: the agency itself. */
  internalClients: ReadonlySet<string>;
  /** Colleagues whose own mailbox is synced. */
  syncing: ReadonlySet<string>;
}

/** A participant with the known facts about its address. */
export interface Met extends Correspondent {
  contact: KnownContact | null;
  colleague: string | null;
  /** A colleague, or a contact of the agency itself. */
  isInternal: boolean;
  /** A contact who is not a colleague and has no clients, or clients other than the agency. */
  isOutsideMatch: boolean;
}

const STRANGER: KnownAddress = { contact: null, colleague: null };

/** Looks up the known facts about each participant (workspace §2.5, "External match"). */
export function meet(participants: readonly Correspondent[], { addresses, internalClients }: KnownPeople): Met[] {
  return participants.map((one) => {
    const { contact, colleague } = (one.email !== null && addresses.get(one.email)) || STRANGER;
    const clients = contact?.clients ?? [];
    const ofAgency = clients.length > 0 && clients.every((client) => internalClients.has(client));
    const isInternal = colleague !== null || ofAgency;
    return { ...one, contact, colleague, isInternal, isOutsideMatch: contact !== null && !isInternal };
  });
}

const ROLES: readonly Participant["role"][] = ["from", "to", "cc"];
const inHeaderOrder = (met: readonly Met[]): Met[] => ROLES.flatMap((role) => met.filter((one) => one.role === role));

/**
 * The colleague who owns a message by its headers: the first of From, To and Cc whose mailbox is synced. So the polling order of mailboxes
 * does not matter, and a Bcc recipient claims nothing.
 */
export const ownerOf = (met: readonly Met[], { syncing }: KnownPeople): Met | undefined =>
  inHeaderOrder(met).find(({ colleague }) => colleague !== null && syncing.has(colleague));

/** The facts that decide about one message. */
export interface GateFacts {
  /** It already is a contact moment of this mailbox, pending or logged. */
  isStored: boolean;
  isSuppressed: boolean;
  isThreadSuppressed: boolean;
  /** The same Message-ID is a contact moment of another mailbox, or was uploaded. */
  isElsewhere: boolean;
  labels: readonly string[];
  /** It has the label its owner excludes. */
  isExcluded: boolean;
  met: readonly Met[];
  /** The account of the mailbox's owner. */
  mailboxOf: string;
  people: KnownPeople;
  /** Whether messages between colleagues are logged too. */
  logsInternal: boolean;
}

/** Whether every participant is a colleague or a contact of the agency. */
export const isInternalOnly = (met: readonly Met[]): boolean => met.length > 0 && met.every(({ isInternal }) => isInternal);

/** The address of the colleague who owns the message; null if this mailbox's owner does. */
function deferredTo({ labels, met, mailboxOf, people }: GateFacts): string | null {
  if (labels.includes(SENT)) return null;
  const owner = ownerOf(met, people);
  return owner && owner.colleague !== mailboxOf ? owner.email : null;
}

/** The first gate that stops a message, with its detail; null if the message is offered (workspace §2.5). */
export function firstGate(facts: GateFacts): { gate: Gate; detail: Record<string, string> } | null {
  const { labels, met } = facts;
  const deferred = deferredTo(facts);
  const internal = isInternalOnly(met);
  const stops: Record<Gate, boolean> = {
    already_logged: facts.isStored,
    suppressed_message: facts.isSuppressed,
    not_a_message: labels.some((label) => NO_MESSAGE.has(label)),
    excluded_label: facts.isExcluded,
    suppressed_thread: facts.isThreadSuppressed,
    logged_elsewhere: facts.isElsewhere,
    no_participants: met.length === 0,
    deferred_to_owner: deferred !== null,
    internal_only: internal && !facts.logsInternal,
    no_external_match: !internal && !met.some(({ isOutsideMatch }) => isOutsideMatch),
  };
  const gate = GATES.find((name) => stops[name]);
  if (gate === undefined) return null;
  return { gate, detail: gate === "deferred_to_owner" && deferred !== null ? { owner: deferred } : {} };
}

/** The direction of a message: outbound if sent from the mailbox or by a colleague. */
export const directionOf = (labels: readonly string[], met: readonly Met[]): "inbound" | "outbound" =>
  labels.includes(SENT) || met.some(({ role, isInternal }) => role === "from" && isInternal) ? "outbound" : "inbound";

/** The contacts of a message, the lead first: outsiders before insiders, From before To before Cc (workspace §2.5, "Filing"). */
export function rankedContacts(met: readonly Met[]): KnownContact[] {
  const ordered = inHeaderOrder(met).toSorted((one, other) => Number(other.isOutsideMatch) - Number(one.isOutsideMatch));
  const found = ordered.flatMap(({ contact }) => contact ?? []);
  return [...new Map(found.map((contact) => [contact.id, contact])).values()];
}

/**
 * The client to file a message to: the oldest client of the first contact that has one; never the agency if an outsider takes part. A
 * message between colleagues goes to the agency.
 * @param mayFile whether the mailbox's owner sees a client: the owner could not review what it does not see
 */
export function clientOf(
  met: readonly Met[],
  { internalClients }: KnownPeople,
  mayFile: (client: string) => boolean,
): string | null {
  const outsiders = met.some(({ isOutsideMatch }) => isOutsideMatch);
  for (const { clients } of rankedContacts(met)) {
    const found = clients.find((client) => mayFile(client) && (!outsiders || !internalClients.has(client)));
    if (found !== undefined) return found;
  }
  return null;
}

/** An organisation's settings for messages (workspace §2.1). */
export interface MailPolicy {
  approves: boolean;
  /** Whether later messages of a logged thread are logged at once too. */
  approvesFollowups: boolean;
  logsInternal: boolean;
}

/** Whether a message awaits its owner's review. @param inherits whether its thread has a logged message */
export function statusOf(met: readonly Met[], inherits: boolean, policy: Omit<MailPolicy, "logsInternal">): "pending" | "logged" {
  if (isInternalOnly(met)) return "pending";
  return policy.approves || (inherits && policy.approvesFollowups) ? "logged" : "pending";
}
