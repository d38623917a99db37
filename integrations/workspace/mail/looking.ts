import { callGoogle, type GoogleAccess } from "../../../mixins/google/client.ts";
import { GoogleFailure } from "../../../mixins/google/failure.ts";
import { fetchMessage, fetchMessages } from "./gmail.ts";
import { type MailMessage, READ_HEADERS, readMessage, UnreadableMessage } from "./message.ts";
import type { MailReference } from "./reference.ts";

/** Most messages shown of a thread. */
const MOST_OF_THREAD = 50;
/** Most messages shown by a search. */
const MOST_FOUND = 20;

/** The result of a lookup or a search. */
export interface LookedUp {
  thread_id: string | null;
  messages: MailMessage[];
  truncated: boolean;
  widened_to_thread: boolean;
}

/** Whether the provider has no such item. It answers 400 to an id that it cannot parse. */
export const isMissing = (error: unknown): boolean =>
  error instanceof GoogleFailure && !error.isUnsent && (error.kind === "not_found" || error.status === 400);

/** The result of `work`; undefined if the provider has no such item. */
async function ifThere<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** The messages of a thread without the unreadable ones. @throws UnreadableMessage if there is no other */
function readableOf(messages: readonly Parameters<typeof readMessage>[0][]): MailMessage[] {
  const read = messages.flatMap((raw) => {
    try {
      return readMessage(raw);
    } catch (error) {
      if (error instanceof UnreadableMessage) return [];
      throw error;
    }
  });
  if (read.length === 0 && messages.length > 0) throw new UnreadableMessage("a thread without a readable message");
  return read;
}

/** A thread with its newest messages, oldest first. @param id a message that must be included */
async function threadOf(google: GoogleAccess, threadId: string, id?: string): Promise<LookedUp | undefined> {
  const thread = await ifThere(
    callGoogle(google, { api: "gmail", operation: "threads.get" }, (client) =>
      client.users.threads.get({ userId: "me", id: threadId, format: "metadata", metadataHeaders: READ_HEADERS }),
    ),
  );
  const all = readableOf(thread?.messages ?? []).sort((one, other) => (one.occurred_at < other.occurred_at ? -1 : 1));
  if (all.length === 0) return undefined;
  const shown = all.slice(-MOST_OF_THREAD);
  const wanted = all.find((message) => message.id === id);
  if (wanted && !shown.includes(wanted)) shown.splice(0, 1, wanted);
  return {
    thread_id: threadId,
    messages: shown,
    truncated: all.length > shown.length,
    widened_to_thread: id !== undefined && all.length > 1,
  };
}

/** A message with its thread. */
async function messageWithThread(google: GoogleAccess, id: string): Promise<LookedUp | undefined> {
  const message = await ifThere(fetchMessage(google, id));
  if (!message) return undefined;
  const alone = { thread_id: message.thread_id, messages: [message], truncated: false, widened_to_thread: false };
  return (await threadOf(google, message.thread_id, id)) ?? alone;
}

/** Looks up a reference in a mailbox; undefined if nothing is found. @throws GoogleFailure */
export async function lookUp(google: GoogleAccess, reference: MailReference): Promise<LookedUp | undefined> {
  if (reference.kind === "thread") return threadOf(google, reference.id);
  if (reference.kind === "message")
    return (await messageWithThread(google, reference.id)) ?? (await threadOf(google, reference.id));
  const [first] = (await idsFound(google, `rfc822msgid:${reference.value}`, 1)).ids;
  return first === undefined ? undefined : messageWithThread(google, first);
}

async function idsFound(google: GoogleAccess, q: string, maxResults: number): Promise<{ ids: string[]; isMore: boolean }> {
  const { messages, nextPageToken } = await callGoogle(google, { api: "gmail", operation: "messages.list" }, (client) =>
    client.users.messages.list({ userId: "me", q, maxResults }),
  );
  return { ids: (messages ?? []).flatMap(({ id }) => id ?? []), isMore: Boolean(nextPageToken) };
}

/** Searches a mailbox with a query of the provider. @throws GoogleFailure */
export async function searchFor(google: GoogleAccess, query: string): Promise<LookedUp> {
  const { ids, isMore } = await idsFound(google, query, MOST_FOUND);
  const fetched = await fetchMessages(google, ids);
  const failed = fetched.find(({ error }) => error instanceof GoogleFailure && error.kind !== "not_found");
  if (failed) throw failed.error;
  const messages = fetched.flatMap(({ message }) => message ?? []);
  return { thread_id: null, messages, truncated: isMore, widened_to_thread: false };
}
