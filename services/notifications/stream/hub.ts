import type { Organisation } from "../../../core/request/context.ts";
import { advance, type Cursor, cursorText, earliest } from "./cursor.ts";
import { type InboxNews, type NewsRow, newsOf, seenUntil, withNews } from "./look.ts";

/** Between two looks, in ms. */
const INTERVAL = 500;
/** Streams that begin within so many ms are looked at together. */
const TOGETHER = 5;
/** Organisations whose news are read at once. */
const AT_ONCE = 4;
/** How far back the first look of a node reaches where it is not known what was committed since, in ms. */
const BEFORE = 60_000;

/** What an inbox sends its streams, with the id by which a stream goes on after it. */
export type Message =
  | { event: "notification"; data: Omit<NewsRow, "at">; id: string }
  | { event: "unread"; data: { count: number }; id: string };

/** A stream of an inbox. */
export class Listener {
  readonly #deliver: (messages: Message[]) => void;
  #cursor: Cursor | null;
  #hasBegun = false;
  #unread: number | null = null;

  /** @param cursor how far its reader is; null for one that begins now */
  constructor(cursor: Cursor | null, deliver: (messages: Message[]) => void) {
    this.#cursor = cursor;
    this.#deliver = deliver;
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** The instant from which on it has to be told what became visible. @param until that of this look */
  since = (until: string): string => this.#cursor?.at ?? until;

  /** Tells it what a look has found. */
  tell({ unread, rows }: InboxNews, until: string): void {
    const { steps, cursor } = advance(this.#cursor ?? { at: until, sent: new Map() }, rows, until);
    // To one that begins now what is there already is no news: its reader has the list.
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
 * What the streams of inboxes on one node hear. Twice a second one statement asks which of their inboxes have news, however many there
 * are, and only those are read: nothing is announced in the transaction that tells people, where it would make commits wait for each other.
 */
export class Hub {
  readonly #inboxes = new Map<string, Inbox>();
  readonly #onTrouble: (error: unknown) => void;
  #timer: NodeJS.Timeout | null = null;
  #soon: NodeJS.Timeout | null = null;
  #looking = false;
  #isTroubled = false;
  /** Until when everything has been told. */
  #until: string | null = null;

  /** @param onTrouble is told once when the database cannot be asked; what was not told meanwhile is told afterwards */
  constructor(onTrouble: (error: unknown) => void) {
    this.#onTrouble = onTrouble;
  }

  /** Adds a stream; what it gives takes it away again. */
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
    // An organisation whose inboxes cannot be read keeps no other from its news.
    while (byOrganisation.length > 0)
      for (const read of await Promise.allSettled(byOrganisation.splice(0, AT_ONCE).map((some) => tell(some, until))))
        if (read.status === "rejected") failures.push(read.reason);
    if (failures.length > 0) throw failures[0];
    if (this.#inboxes.size > 0) this.#until = until;
  }
}

const begins = ({ listeners }: Inbox): boolean => [...listeners].some(({ hasBegun }) => !hasBegun);

/** Tells inboxes of one organisation what has come into them. */
async function tell(inboxes: readonly Inbox[], until: string): Promise<void> {
  const [{ organisation }] = inboxes as [Inbox];
  const heard = inboxes.map((inbox) => ({ inbox, listeners: [...inbox.listeners] }));
  const since = heard.map(({ listeners }) => earliest([until, ...listeners.map((one) => one.since(until))]));
  const accounts = inboxes.map(({ accountId }) => accountId);
  const found = new Map((await newsOf(organisation, accounts, since)).map((news) => [news.account_id, news]));
  for (const { inbox, listeners } of heard) {
    const news = found.get(inbox.accountId);
    if (news) for (const listener of listeners) if (inbox.listeners.has(listener)) listener.tell(news, until);
  }
}
