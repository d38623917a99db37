import type { CallActor } from "../../../core/mail/mail-now.ts";
import type { GoogleAccess } from "../../../mixins/google/client.ts";
import { excludedLabel } from "./gmail.ts";
import type { MailAccess } from "./mail-access.ts";
import { colleagueMailboxes, rememberedSkips } from "./mailbox-rows.ts";
import type { MailMessage } from "./message.ts";

/** Messages with the excluded label, read before the request has a transaction. */
export interface LabelledMessages {
  messages: MailMessage[];
  /** Id of the label that the owner excludes; null without one. */
  excluded: string | null;
}

/** A message as shown to the person who looked it up (workspace §2.6, "lookup"). */
export interface Candidate {
  message_id: string;
  thread_id: string;
  subject: string | null;
  from_email: string | null;
  from_name: string | null;
  recipients: string | null;
  occurred_at: string;
  snippet: string | null;
  direction: "inbound" | "outbound";
  logged: boolean;
  interaction_id: string | null;
  suppressed: boolean;
  skip_reason: string | null;
  skip_detail: Record<string, string>;
  before_connection: boolean;
  never_offered: boolean;
}

interface Verdict {
  id: string;
  gate: string | null;
  detail: Record<string, string>;
  direction: "inbound" | "outbound";
  logged: boolean;
  suppressed: boolean;
  interaction_id: string | null;
}

/** Most recipients named. */
const MOST_RECIPIENTS = 5;

/** The context that the feed's rules need in addition to messages: the mailbox, and which colleagues' mailboxes are read. */
export const judging = async ({ connection, settings }: MailAccess) => ({
  owner_account_id: connection.account_id,
  mailboxes: await colleagueMailboxes(),
  logs_internal: settings.mail_log_internal,
});

/** Marks the messages that have the excluded label. */
export const labelled = ({ messages, excluded }: LabelledMessages) =>
  messages.map((message) => ({ ...message, excluded: excluded !== null && message.labels.includes(excluded) }));

/** Adds the id of the excluded label; makes no call if there are no messages. @throws GoogleFailure */
export const withLabel = async (
  google: GoogleAccess,
  { connection }: MailAccess,
  messages: MailMessage[],
): Promise<LabelledMessages> => ({
  messages,
  excluded: messages.length === 0 ? null : await excludedLabel(google, connection.mail_excluded_label),
});

function recipientsOf({ participants }: MailMessage): string | null {
  const named = participants.filter(({ role }) => role !== "from").slice(0, MOST_RECIPIENTS);
  return named.map(({ name, email }) => name ?? email).join(", ") || null;
}

/** Messages with the feed's verdict on each. */
export async function candidatesOf(access: MailAccess, found: LabelledMessages, call: CallActor): Promise<Candidate[]> {
  const { connection } = access;
  if (found.messages.length === 0) return [];
  const body = { ...(await judging(access)), messages: labelled(found), counts_waiting: false };
  const verdicts = new Map(
    ((await call("interactions.mailbox.judge", { body })) as Verdict[]).map((verdict) => [verdict.id, verdict]),
  );
  const skips = await rememberedSkips(connection.id, [...verdicts.keys()]);
  const since = Date.parse(connection.created_at);
  return found.messages.map((message) => {
    const { gate, detail, direction, logged, suppressed, interaction_id } = verdicts.get(message.id) as Verdict;
    const skip = gate === null ? skips.find(({ message_id }) => message_id === message.id) : undefined;
    const sender = message.participants.find(({ role }) => role === "from");
    const before_connection = Date.parse(message.occurred_at) < since;
    return {
      message_id: message.id,
      thread_id: message.thread_id,
      subject: message.subject,
      from_email: sender?.email ?? null,
      from_name: sender?.name ?? null,
      recipients: recipientsOf(message),
      occurred_at: message.occurred_at,
      snippet: message.snippet,
      direction,
      logged,
      interaction_id,
      suppressed,
      skip_reason: gate ?? skip?.reason ?? null,
      skip_detail: gate === null ? (skip?.detail ?? {}) : detail,
      before_connection,
      never_offered: gate === null && skip === undefined && !before_connection && !logged,
    };
  });
}
