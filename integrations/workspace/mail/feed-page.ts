import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import type { GoogleAccess } from "../../../mixins/google/client.ts";
import { GoogleFailure } from "../../../mixins/google/failure.ts";
import { isOurs } from "./faults.ts";
import { fetchMessages, type HistoryPage } from "./gmail.ts";
import {
  type ColleagueMailbox,
  type MailboxRow,
  type OpenMailbox,
  openMailbox,
  rememberSkip,
  type Skip,
  storeMailbox,
} from "./mailbox-rows.ts";
import type { MailMessage } from "./message.ts";

export type Run = Pick<OrganisationRun, "read" | "write" | "call" | "signal" | "logger" | "organisation">;

/** Messages of a page that are fetched and offered together. */
const AT_ONCE = 20;
/** Polls that can fail on the same message before the feed skips it. */
const MOST_TIMES_STUCK = 3;

/** The context of one poll. */
export interface Poll {
  run: Run;
  google: GoogleAccess;
  box: OpenMailbox;
  state: MailboxRow | undefined;
  colleagues: ColleagueMailbox[];
  /** Id of the label that the owner excludes; null without one. */
  excluded: string | null;
  tally: Tally;
}

/** The number of contact moments that a poll has created so far, also if it fails. */
export interface Tally {
  logged: number;
}

/** The outcome of offering a message to interactions. */
interface Offered {
  interaction_id: string | null;
  gate: string | null;
  detail: Record<string, string>;
}
interface StoredMessages {
  stored: string[];
  suppressed: string[];
  suppressed_threads: string[];
}

const NO_MESSAGE = ["DRAFT", "SPAM", "TRASH"];

/** Offers the messages of a page. @param until when to stop @returns whether the page was read to its end */
export async function takePage(poll: Poll, page: HistoryPage, until: number): Promise<boolean> {
  const { run, box, excluded, tally } = poll;
  if (page.messages.length === 0) return true;
  const known = await run.call<StoredMessages>("interactions.mailbox.known", {
    body: {
      owner_account_id: box.account_id,
      ids: page.messages.map(({ id }) => id),
      thread_ids: [...new Set(page.messages.map(({ thread_id }) => thread_id))],
    },
  });
  const over = new Set([...known.stored, ...known.suppressed]);
  const threads = new Set(known.suppressed_threads);
  // Do not even fetch the headers of excluded messages.
  const wanted = page.messages.filter(
    ({ id, thread_id, labels }) =>
      !over.has(id) &&
      !threads.has(thread_id) &&
      !labels.some((label) => NO_MESSAGE.includes(label) || (excluded !== null && label === excluded)),
  );
  let [began, longestPart] = [performance.now(), 0];
  for (let at = 0; at < wanted.length; at += AT_ONCE) {
    longestPart = Math.max(longestPart, at > 0 ? performance.now() - began : 0);
    began = performance.now();
    // Each poll takes at least one part, so that it gets ahead however slow the mailbox is.
    if (at > 0 && began + longestPart > until) return false;
    const messages = await promising(poll, await fetched(poll, wanted.slice(at, at + AT_ONCE)));
    if (messages.length === 0) continue;
    if (!(await run.read(() => openMailbox(box.id)))) return true;
    for (const message of messages) if (await offer(poll, message)) tally.logged += 1;
  }
  return true;
}

/** The messages with their headers. Skips deleted ones and remembers unreadable ones. */
async function fetched(poll: Poll, wanted: readonly { id: string }[]): Promise<MailMessage[]> {
  const { run, google, box, state } = poll;
  const results = await fetchMessages(
    google,
    wanted.map(({ id }) => id),
    run.signal,
  );
  const messages: MailMessage[] = [];
  for (const { id, message, error } of results) {
    if (message) messages.push(message);
    if (error === undefined || (error instanceof GoogleFailure && error.kind === "not_found")) continue;
    if (error instanceof GoogleFailure) {
      await passOverStuck(poll, id, error, state);
      continue;
    }
    await remember(run, box.id, { message_id: id, reason: "ingest_error", detail: {} });
  }
  return messages;
}

/**
 * Handles a message that the provider failed to return. The poll ends, because the provider usually fails altogether and no message may be
 * lost. A message that keeps failing while others succeed is skipped, so that it does not block the mailbox forever.
 * @throws GoogleFailure
 */
async function passOverStuck({ run, box }: Poll, id: string, error: GoogleFailure, state: MailboxRow | undefined): Promise<void> {
  if (error.kind !== "unavailable" || error.status === null || error.isUnsent) throw error;
  const stuck_times = (state?.stuck_message_id === id ? state.stuck_times : 0) + 1;
  if (stuck_times < MOST_TIMES_STUCK) {
    await run.write(() => storeMailbox(box.id, { stuck_message_id: id, stuck_times }));
    throw error;
  }
  await remember(run, box.id, { message_id: id, reason: "ingest_error", detail: {} });
}

const remember = (run: Run, connectionId: string, skip: Skip): Promise<void> =>
  run.write(async () => rememberSkip(connectionId, skip));

const mailboxOfOffer = ({ box, colleagues }: Poll) => ({
  owner_account_id: box.account_id,
  mailboxes: colleagues,
  logs_internal: box.mail_log_internal,
});
const offeredMessage = ({ excluded }: Poll, message: MailMessage) => ({
  ...message,
  excluded: excluded !== null && message.labels.includes(excluded),
});

/** The messages that pass the gates for now; if the page cannot be judged, all of them. */
async function promising(poll: Poll, messages: readonly MailMessage[]): Promise<MailMessage[]> {
  const { run, box } = poll;
  if (messages.length === 0) return [];
  const verdicts = await run
    .call<(Offered & { id: string })[]>("interactions.mailbox.judge", {
      body: { ...mailboxOfOffer(poll), messages: messages.map((one) => offeredMessage(poll, one)), counts_waiting: true },
    })
    .catch((error: unknown) => {
      if (isOurs(error)) throw error;
      return null;
    });
  if (verdicts === null) return [...messages];
  const deferred = verdicts.filter(({ gate }) => gate === "deferred_to_owner");
  if (deferred.length > 0)
    await run.write(async () => {
      for (const { id, detail } of deferred) rememberSkip(box.id, { message_id: id, reason: "deferred_to_owner", detail });
    });
  const passing = new Set(verdicts.flatMap(({ id, gate }) => (gate === null ? [id] : [])));
  return messages.filter(({ id }) => passing.has(id));
}

/** Offers one message in its own transaction; remembers and skips it if that fails. @returns whether it became a contact moment */
async function offer(poll: Poll, message: MailMessage): Promise<boolean> {
  const { run, box } = poll;
  try {
    const { interaction_id, gate, detail } = await run.call<Offered>("interactions.mailbox.offer", {
      body: {
        ...mailboxOfOffer(poll),
        message: offeredMessage(poll, message),
        approves: box.mail_approval_mode === "auto_approve",
        approves_followups: box.mail_thread_followup === "inherit_approve",
      },
    });
    if (gate === "deferred_to_owner") await remember(run, box.id, { message_id: message.id, reason: gate, detail });
    return interaction_id !== null;
  } catch (error) {
    if (isOurs(error)) throw error;
    run.logger.warn(
      {
        event: "workspace.message_not_logged",
        organisation: run.organisation.slug,
        message: message.id,
        error: (error as Error).name,
      },
      "a message could not be made a contact moment",
    );
    await remember(run, box.id, { message_id: message.id, reason: "ingest_error", detail: {} });
    return false;
  }
}
