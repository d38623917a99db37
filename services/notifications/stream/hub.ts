import type { Organisation } from "../../../core/declare/principal.ts";
import { advance, type Cursor, cursorText, earliest } from "./cursor.ts";
import { type InboxNews, type NewsRow, newsOf, seenUntil, withNews } from "./look.ts";

/** Polling interval, in ms. */
const INTERVAL = 500;
/** Streams that start within this many ms share a poll. */
const TOGETHER = 5;
/** Organisations whose inboxes are read in parallel. */
const AT_ONCE = 4;
/** How far back a node's first poll reaches, in ms, because earlier commits are unknown. */
const BEFORE = 60_000;

/** What an inbox sends its streams, with the id to resume from. */
export type Message =
  | { event: "notification"; data: Omit<NewsRow, "at">; id: string }
  | { event: "unread"; data: { count: number }; id: string };

/** One stream of an inbox. */
export class Listener {
  readonly #deliver: (messages: Message[]) => void;
  #cursor: Cursor | null;
  #hasBegun = false;
  #unread: number | null = null;

  /** @param cursor the reader's position; null for a new reader */
  constructor(cursor: Cursor | null, deliver: (messages: Message[]) => void) {
    this.#cursor = cursor;
    this.#deliver = deliver;
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** The instant from which this stream needs rows. @param until that of this poll */
  since = (until: string): string => this.#cursor?.at ?? until;

  /** Delivers the result of a poll. */
  deliver({ unread, rows }: InboxNews, until: string): void {
    const { steps, cursor } = advance(this.#cursor ?? { at: until, sent: new Map() }, rows, until);
    // For a new reader, existing rows are not news: its list has them.
    const messages: Message[] = (this.#cursor ? steps : []).map(({ row: { at, ...data }, cursor: after }) => ({
      event: "notification",
      data,
      id: cursorText(after),
    }));
    if (unread !== this.#unread) messages.push({ event: "unread", data: { count: unread }, id: cursorText(cursor) });
    this.#hasBegun = true;
    this.#unread = unread;
    this.#cursor = cursor;
    if (messages.length > 0) this.#deliver(messages);
  }
}

/** An inbox with its streams on this node. */
interface Inbox {
  organisation: Organisation;
  accountId: string;
  listeners: Set<Listener>;
}

/**
 * Feeds the inbox streams of one node. Twice a second one statement finds the inboxes with news, however many there are, and only those are
 * read. The notifying transaction announces nothing, because that would make commits wait for each other.
 */
export class Hub {
  readonly #inboxes = new Map<string, Inbox>();
  readonly #onTrouble: (error: unknown) => void;
  #timer: NodeJS.Timeout | null = null;
  #soon: NodeJS.Timeout | null = null;
  #looking = false;
  #isTroubled = false;
  /** The instant up to which everything has been delivered. */
  #until: string | null = null;

  /** @param onTrouble receives the first error when the database fails; missed rows are delivered afterwards */
  constructor(onTrouble: (error: unknown) => void) {
    this.#onTrouble = onTrouble;
  }

  /** Adds a stream; call the returned function to remove it. */
  add(organisation: Organisation, accountId: string, listener: Listener): () => void {
    const key = `${organisation.id} ${accountId}`;
    const inbox = this.#inboxes.get(key) ?? { organisation, accountId, listeners: new Set<Listener>() };
    this.#inboxes.set(key, inbox);
    inbox.listeners.add(listener);
    this.#timer ??= setInterval(() => void this.#look(), INTERVAL).unref();
    this.#lookSoon();
    return () => {
      inbox.listeners.delete(listener);
      if (inbox.listeners.size === 0) this.#inboxes.delete(key);
      if (this.#inboxes.size === 0) this.#rest();
    };
  }

  #lookSoon(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = null;
      void this.#look();
    }, TOGETHER);
  }

  #rest(): void {
    if (this.#timer) clearInterval(this.#timer);
    if (this.#soon) clearTimeout(this.#soon);
    this.#timer = this.#soon = this.#until = null;
  }

  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      await this.#tellNews();
      this.#isTroubled = false;
    } catch (error) {
      if (!this.#isTroubled) this.#onTrouble(error);
      this.#isTroubled = true;
    } finally {
      this.#looking = false;
    }
    if (!this.#isTroubled && [...this.#inboxes.values()].some(begins)) this.#lookSoon();
  }

  async #tellNews(): Promise<void> {
    const inboxes = [...this.#inboxes.values()];
    if (inboxes.length === 0) return;
    const before = this.#until ?? new Date(Date.now() - BEFORE).toISOString();
    const until = await seenUntil(before);
    const known = inboxes.filter((inbox) => !begins(inbox));
    const changed = known.length === 0 ? [] : await withNews(known, before);
    const news = new Set(changed.map((one) => `${one.organisation_id} ${one.account_id}`));
    const asked = inboxes.filter((inbox) => begins(inbox) || news.has(`${inbox.organisation.id} ${inbox.accountId}`));
    const byOrganisation = [...Map.groupBy(asked, ({ organisation }) => organisation.id).values()];
    const failures: unknown[] = [];
    // A failing read of one organisation must not block the others.
    while (byOrganisation.length > 0)
      for (const read of await Promise.allSettled(byOrganisation.splice(0, AT_ONCE).map((some) => deliver(some, until))))
        if (read.status === "rejected") failures.push(read.reason);
    if (failures.length > 0) throw failures[0];
    if (this.#inboxes.size > 0) this.#until = until;
  }
}

const begins = ({ listeners }: Inbox): boolean => [...listeners].some(({ hasBegun }) => !hasBegun);

/** Delivers news to inboxes of one organisation. */
async function deliver(inboxes: readonly Inbox[], until: string): Promise<void> {
  const [{ organisation }] = inboxes as [Inbox];
  const heard = inboxes.map((inbox) => ({ inbox, listeners: [...inbox.listeners] }));
  const since = heard.map(({ listeners }) => earliest([until, ...listeners.map((one) => one.since(until))]));
  const accounts = inboxes.map(({ accountId }) => accountId);
  const found = new Map((await newsOf(organisation, accounts, since)).map((news) => [news.account_id, news]));
  for (const { inbox, listeners } of heard) {
    const news = found.get(inbox.accountId);
    if (news) for (const listener of listeners) if (inbox.listeners.has(listener)) listener.deliver(news, until);
  }
}
