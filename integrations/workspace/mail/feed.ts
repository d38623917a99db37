import { dateIn } from "../../../core/calendar/calendar.ts";
import { runtime } from "../../../core/config/runtime.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { organisationZone } from "../../../core/request/today.ts";
import { callGoogle, type GoogleAccess, googleAccess } from "../../../mixins/google/client.ts";
import { GoogleFailure } from "../../../mixins/google/failure.ts";
import { type Poll, type Run, type Tally, takePage } from "./feed-page.ts";
import { excludedLabel, type HistoryPage, historyPage } from "./gmail.ts";
import { colleagueMailboxes, mailboxOf, mayLogMail, openMailbox, type PollResult, storeProgress } from "./mailbox-rows.ts";

/** Most milliseconds before a poll stops; the next poll follows at once. */
const LONGEST = 24_000;
/** The share of the time of a request that a poll may take: a manual one has to end before its caller is answered. */
const SHARE = 0.8;
const longest = () => Math.min(LONGEST, runtime().config.requestTimeout * SHARE);
/** The result of a poll, and whether it stopped early. */
export interface PollEnd extends PollResult {
  isCut: boolean;
}

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
