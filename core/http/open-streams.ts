import { type EventWriter, eventText } from "../declare/event-stream.ts";
import type { Meta } from "../declare/principal.ts";
import { refusal } from "../errors/errors.ts";

/** The events of a stream since the last read. */
export interface Batch {
  /** Events in wire format; empty when there are none. */
  text: string;
  /** True when nothing follows. */
  ended: boolean;
  /** True when the stream needs the caller's current rights, which the next read must bring. */
  stale: boolean;
}

/** Characters that may wait for the reader before the writer must wait. */
const ROOM = 64 * 1024;
/** Longest time without a read, in ms, before the reader counts as lost: longer than a gateway waits for a stalled caller. */
const LEASE = 90_000;
const MOST_RENEWALS = 4;

/** The stream has no reader any more. */
class StreamClosed extends Error {
  override name = "StreamClosed";
  constructor() {
    super("the stream has no reader any more");
  }
}

type Calls = (action: string, params: object, meta: Meta) => Promise<unknown>;

/**
 * A stream written on this node, until its reader has read all of it. The reader polls for new events: a slow one makes the writer wait,
 * and the stream ends when it stops polling.
 */
export class OpenStream {
  /** The node that reads. */
  readonly reader: string;
  readonly #calls: Calls;
  readonly #abort = new AbortController();
  readonly #onGone: () => void;
  readonly #cutShort: string | undefined;
  #meta: Meta;
  #texts: string[] = [];
  #waiting = 0;
  #ended = false;
  #stale = false;
  #asked: (() => void) | null = null;
  #room: (() => void)[] = [];
  #renewed: (() => void)[] = [];
  /** Time of the last read, in ms; null while a read waits. */
  #idleSince: number | null = Date.now();

  /**
   * @param cutShort the last event of a stream that is cut short
   * @param onGone called when the stream has been read to its end or has lost its reader
   */
  constructor(reader: string, meta: Meta, calls: Calls, cutShort: string | undefined, onGone: () => void) {
    this.reader = reader;
    this.#meta = meta;
    this.#calls = calls;
    this.#cutShort = cutShort;
    this.#onGone = onGone;
  }

  /** The writing side of the stream. */
  get writer(): EventWriter {
    return {
      signal: this.#abort.signal,
      send: (event, data, id) => this.#send(eventText(event, data, id)),
      call: <T>(action: string, params: object) => this.#call(action, params) as Promise<T>,
    };
  }

  /** Whether the last read is so long ago that the reader must be lost. */
  isLost = (now: number): boolean => this.#idleSince !== null && now - this.#idleSince > LEASE;

  /** Writes the last event, if any, and ends the stream; events not yet read remain available. */
  finish(last?: string): void {
    if (this.#ended) return;
    if (last !== undefined) this.#texts.push(last);
    this.#ended = true;
    this.#notifyWaiting();
  }

  /** Cuts the stream short because its node stops; a reader still gets the `cutShort` event. */
  cut(): void {
    const isOver = this.#ended;
    this.close();
    if (!isOver && this.#cutShort !== undefined) this.#texts = [this.#cutShort];
  }

  /** Ends the stream because it has no reader; discards unread events. */
  close(): void {
    this.#texts = [];
    this.#ended = true;
    this.#abort.abort(new StreamClosed());
    this.#notifyWaiting();
    for (const go of [...this.#room.splice(0), ...this.#renewed.splice(0)]) go();
    this.#onGone();
  }

  /**
   * Returns the events since the last read; waits for some, at most `wait` ms. Only one read at a time.
   * @param meta the caller's current rights, if the previous batch was `stale`
   */
  async take(wait: number | null, meta?: Meta): Promise<Batch> {
    this.#idleSince = null;
    if (meta) {
      this.#meta = meta;
      for (const go of this.#renewed.splice(0)) go();
    }
    if (this.#texts.length === 0 && !this.#ended && !this.#stale) await this.#news(wait);
    const batch = { text: this.#texts.join(""), ended: this.#ended, stale: this.#stale };
    this.#texts = [];
    this.#waiting = 0;
    this.#stale = false;
    this.#idleSince = Date.now();
    for (const go of this.#room.splice(0)) go();
    if (batch.ended) this.#onGone();
    return batch;
  }

  #news(wait: number | null): Promise<void> {
    return new Promise((resolve) => {
      const late = wait === null ? null : setTimeout(() => this.#notifyWaiting(), wait);
      this.#asked = () => {
        if (late) clearTimeout(late);
        resolve();
      };
    });
  }

  #notifyWaiting(): void {
    const asked = this.#asked;
    this.#asked = null;
    asked?.();
  }

  async #send(text: string): Promise<void> {
    this.#abort.signal.throwIfAborted();
    this.#texts.push(text);
    this.#waiting += text.length;
    this.#notifyWaiting();
    if (this.#waiting < ROOM) return;
    await new Promise<void>((resolve) => this.#room.push(resolve));
    this.#abort.signal.throwIfAborted();
  }

  async #call(action: string, params: object): Promise<unknown> {
    for (let renewal = 1; ; renewal++) {
      this.#abort.signal.throwIfAborted();
      try {
        return await this.#calls(action, params, this.#meta);
      } catch (error) {
        if ((error as Error).name !== "StaleAccess") throw error;
        if (renewal === MOST_RENEWALS) throw refusal("unavailable");
        this.#stale = true;
        const renewed = new Promise<void>((resolve) => this.#renewed.push(resolve));
        this.#notifyWaiting();
        await renewed;
      }
    }
  }
}
