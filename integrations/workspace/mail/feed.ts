import { dateIn } from "../../../core/calendar/calendar.ts";
import { runtime } from "../../../core/config/runtime.ts";
import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { organisationZone } from "../../../core/request/today.ts";
import { callGoogle, type GoogleAccess, googleAccess } from "../../../mixins/google/client.ts";
import { GoogleFailure } from "../../../mixins/google/failure.ts";
import { isOurs } from "./faults.ts";
import { excludedLabel, fetchMessages, type HistoryPage, historyPage } from "./gmail.ts";
import {
  type ColleagueMailbox,
  colleagueMailboxes,
  type MailboxRow,
  mailboxOf,
  mayLogMail,
  type OpenMailbox,
  openMailbox,
  type PollResult,
  rememberSkip,
  type Skip,
  storeMailbox,
  storeProgress,
} from "./mailbox-rows.ts";
import type { MailMessage } from "./message.ts";

type Run = Pick<OrganisationRun, "read" | "write" | "call" | "signal" | "logger" | "organisation">;

/** Most milliseconds before a poll stops; the next poll follows at once. */
const LONGEST = 24_000;
/** The share of the time of a request that a poll may take: a manual one has to end before its caller is answered. */
const SHARE = 0.8;
const longest = () => Math.min(LONGEST, runtime().config.requestTimeout * SHARE);
/** Messages of a page that are fetched and offered together. */
const AT_ONCE = 20;
/** Polls that can fail on the same message before the feed skips it. */
const MOST_TIMES_STUCK = 3;

/** The result of a poll, and whether it stopped early. */
export interface PollEnd extends PollResult {
  isCut: boolean;
}

/** The context of one poll. */
interface Poll {
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
const polled = ({ logged }: Tally, isCut = false): PollEnd => ({ status: "polled", logged, isCut });
/** The end of a poll whose mailbox can no longer be read, for instance because its owner switched the feed off. */
const closed = ({ logged }: Tally): PollEnd => ({ status: "error", logged, isCut: false });

/**
 * Reads new mail and offers it as contact moments (workspace §2.5). No transaction is open during calls to the provider. Each message is
 * written in its own transaction, and progress is stored page by page, so the next poll resumes after a failure. The owner is notified once
 * of all messages that wait for review.
 */
export async function poll(run: Run, connectionId: string, tally: Tally): Promise<PollEnd> {
  const read = await run.read(async () => {
    const box = await openMailbox(connectionId);
    if (!box || !(await mayLogMail())) return undefined;
    return { box, state: await mailboxOf(connectionId), colleagues: await colleagueMailboxes() };
  });
  if (!read) return closed(tally);
  const google = googleAccess({ id: connectionId }, run);
  try {
    const from = read.state?.history_id ?? null;
    if (from === null) return await begin(run, google, connectionId, tally);
    const excluded = await excludedLabel(google, read.box.mail_excluded_label, run.signal);
    return await follow({ run, google, ...read, excluded, tally }, from);
  } catch (error) {
    if (!(error instanceof GoogleFailure)) throw error;
    run.logger.warn(
      { event: "workspace.mailbox_not_read", organisation: run.organisation.slug, kind: error.kind, status: error.status },
      "a mailbox was not read",
    );
    return closed(tally);
  } finally {
    if (!run.signal.aborted) await run.call("interactions.mailbox.notify", { body: { owner_account_id: read.box.account_id } });
  }
}

const now = () => new Date().toISOString();

async function newestHistory(google: GoogleAccess, signal: AbortSignal): Promise<string> {
  const profile = await callGoogle(google, { api: "gmail", operation: "profile", signal }, (client) =>
    client.users.getProfile({ userId: "me" }),
  );
  if (!profile.historyId) throw new GoogleFailure("unavailable", "the profile has no history id");
  return profile.historyId;
}

/** The first poll imports none of the existing mail. */
async function begin(run: Run, google: GoogleAccess, connectionId: string, tally: Tally): Promise<PollEnd> {
  const history_id = await newestHistory(google, run.signal);
  const isStored = await run.write(() => storeProgress(connectionId, null, { history_id, polled_at: now() }));
  return isStored ? polled(tally) : closed(tally);
}

/**
 * The provider no longer has the history since the last poll: continues from the mailbox's present state and notifies its owner, once per
 * gap, since when mail may be missing.
 * @param before the history id that the provider no longer knows
 */
async function beginAnew({ run, google, box, state, tally }: Poll, before: string): Promise<PollEnd> {
  const history_id = await newestHistory(google, run.signal);
  return run.write(async () => {
    const isNew = !state?.gap_open;
    const gap_since = isNew ? (state?.polled_at ?? null) : (state?.gap_since ?? null);
    if (!(await storeProgress(box.id, before, { history_id, polled_at: now(), gap_open: true, gap_since }))) return closed(tally);
    if (isNew && gap_since !== null)
      emit("workspace.mail_gap", "workspace_connection", box.id, {
        email: box.email,
        gap_since: new Date(gap_since).toISOString(),
        gap_day: dateIn(organisationZone(), gap_since),
        recipients: [box.account_id],
      });
    return polled(tally);
  });
}

async function follow(poll: Poll, from: string): Promise<PollEnd> {
  const { run, google, box, tally } = poll;
  const until = performance.now() + longest();
  let reached = from;
  for (let pageToken: string | undefined; ; ) {
    run.signal.throwIfAborted();
    let page: HistoryPage;
    try {
      page = await historyPage(google, from, pageToken, run.signal);
    } catch (error) {
      if (error instanceof GoogleFailure && error.kind === "not_found") return beginAnew(poll, reached);
      throw error;
    }
    // Stopped within a page, the next poll reads the page again and passes over what is stored.
    if (!(await takePage(poll, page, until))) return polled(tally, true);
    const isLast = page.next === undefined;
    const before = reached;
    const history_id = (isLast ? page.newest : page.reached) ?? before;
    const isStored = await run.write(() =>
      storeProgress(box.id, before, {
        history_id,
        ...(isLast && { polled_at: now() }),
        gap_open: false,
        stuck_message_id: null,
        stuck_times: 0,
      }),
    );
    if (!isStored) return closed(tally);
    reached = history_id;
    if (isLast) return polled(tally);
    if (performance.now() > until) return polled(tally, true);
    pageToken = page.next;
  }
}

/** Offers the messages of a page. @param until when to stop @returns whether the page was read to its end */
async function takePage(poll: Poll, page: HistoryPage, until: number): Promise<boolean> {
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
