import { drain } from "../../../core/jobs/drain.ts";
import type { gmail_v1 } from "../../../mixins/google/apis.ts";
import { callGoogle, type GoogleAccess } from "../../../mixins/google/client.ts";
import { GoogleFailure } from "../../../mixins/google/failure.ts";
import { requirePathId } from "../path-id.ts";
import { type MailMessage, READ_HEADERS, readMessage } from "./message.ts";

/** History entries per page. */
const HISTORY_PAGE = 100;
/** Messages requested in parallel. */
const ABREAST = 4;

/** A page of additions to a mailbox. */
export interface HistoryPage {
  /** Without duplicates, oldest first. */
  messages: { id: string; thread_id: string; labels: string[] }[];
  /** The last history entry of this page, to resume from; null for an empty page. */
  reached: string | null;
  /** The mailbox's current history id; null if the answer lacks it. */
  newest: string | null;
  next: string | undefined;
}

/** Reads a page of the history. @throws GoogleFailure `not_found` if the provider no longer has the history after `from` */
export async function historyPage(
  google: GoogleAccess,
  from: string,
  pageToken: string | undefined,
  signal?: AbortSignal,
): Promise<HistoryPage> {
  const about = { api: "gmail", operation: "history.list", ...(signal && { signal }) } as const;
  const page = await callGoogle(google, about, (client) =>
    client.users.history.list({
      userId: "me",
      startHistoryId: from,
      historyTypes: ["messageAdded"],
      maxResults: HISTORY_PAGE,
      ...(pageToken && { pageToken }),
    }),
  );
  const added = (page.history ?? []).flatMap(({ messagesAdded }) =>
    (messagesAdded ?? []).flatMap(({ message }) => message ?? []),
  );
  const messages = new Map(
    added.flatMap(({ id, threadId, labelIds }) =>
      id ? [[id, { id, thread_id: threadId ?? "", labels: labelIds ?? [] }] as const] : [],
    ),
  );
  return {
    messages: [...messages.values()],
    reached: page.history?.at(-1)?.id ?? null,
    newest: page.historyId ?? null,
    next: page.nextPageToken ?? undefined,
  };
}

/** The result of requesting one message with its headers. */
export interface Fetched {
  id: string;
  message?: MailMessage;
  /** The provider's refusal, or why the message cannot be read. */
  error?: unknown;
}

async function metadata(google: GoogleAccess, id: string, signal?: AbortSignal): Promise<gmail_v1.Schema$Message> {
  const asked = { userId: "me", id: requirePathId(id), format: "metadata", metadataHeaders: READ_HEADERS };
  const about = { api: "gmail", operation: "messages.get", ...(signal && { signal }) } as const;
  return callGoogle(google, about, (client) => client.users.messages.get(asked));
}

/** Reads one message. @throws GoogleFailure */
export const fetchMessage = async (google: GoogleAccess, id: string): Promise<MailMessage> =>
  readMessage(await metadata(google, id));

/**
 * Reads messages, a few in parallel, and returns them in order. Requests no further messages after a failure that does not concern a single
 * message.
 */
export async function fetchMessages(google: GoogleAccess, ids: readonly string[], signal?: AbortSignal): Promise<Fetched[]> {
  const results: Fetched[] = ids.map((id) => ({ id }));
  await drain(results, { atOnce: ABREAST }, async (one) => {
    try {
      one.message = readMessage(await metadata(google, one.id, signal));
    } catch (error) {
      one.error = error;
      return !(error instanceof GoogleFailure) || error.kind === "not_found" || error.kind === "unavailable";
    }
  });
  return results;
}

/** The id of the label with this name, ignoring case; null if there is none. */
export async function excludedLabel(google: GoogleAccess, name: string | null, signal?: AbortSignal): Promise<string | null> {
  if (name === null) return null;
  const about = { api: "gmail", operation: "labels.list", ...(signal && { signal }) } as const;
  const { labels } = await callGoogle(google, about, (client) => client.users.labels.list({ userId: "me" }));
  const wanted = name.toLocaleLowerCase();
  return labels?.find((label) => label.name?.toLocaleLowerCase() === wanted)?.id ?? null;
}
