import { refusal } from "../declare/errors.ts";
import type { Meta } from "../request/context.ts";
import { type EventWriter, eventText } from "./event-stream.ts";

/** What has come up in a stream since it was last asked. */
export interface Batch {
  /** Events as they travel; empty when there are none. */
  text: string;
  /** True when nothing comes after this. */
  ended: boolean;
  /** True when the stream needs the caller's rights as they are now; the next question brings them. */
  stale: boolean;
}

/** Characters that may wait for their reader before the writer does. */
const ROOM = 64 * 1024;
/** Longest a stream goes unasked, in ms, before its reader counts as lost: longer than a gateway waits for a caller that takes nothing. */
const LEASE = 90_000;
const MOST_RENEWALS = 4;

/** Why a stream has no reader any more. */
export class StreamClosed extends Error {
  override name = "StreamClosed";
  constructor() {
    super("the stream has no reader any more");
  }
}

type Calls = (action: string, params: object, meta: Meta) => Promise<unknown>;

/**
 * A stream that is being written on this node, until its reader has taken all of it. The reader asks for what has come up, again and
 * again: a slow one holds the writer up, and one that stops asking ends it.
 */
export class OpenStream {
  /** The node that asks. */
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
  /** When it was last asked, in ms; null while a question waits for its answer. */
  #idleSince: number | null = Date.now();

  /**
   * @param cutShort the last event of one that could not be brought to its end
   * @param onGone is told when it has been read to its end or has no reader any more
   */
  constructor(reader: string, meta: Meta, calls: Calls, cutShort: string | undefined, onGone: () => void) {
    this.reader = reader;
    this.#meta = meta;
    this.#calls = calls;
    this.#cutShort = cutShort;
    this.#onGone = onGone;
  }

  /** The side of it that writes. */
  get writer(): EventWriter {
    return {
      signal: this.#abort.signal,
      send: (event, data, id) => this.#send(eventText(event, data, id)),
      call: <T>(action: string, params: object) => this.#call(action, params) as Promise<T>,
    };
  }

  /** Whether it has gone unasked for so long that its reader must be lost. */
  isLost = (now: number): boolean => this.#idleSince !== null && now - this.#idleSince > LEASE;

  /** Writes its last event, if there is one, and ends it; what waits is still there to be asked for. */
  finish(last?: string): void {
    if (this.#ended) return;
    if (last !== undefined) this.#texts.push(last);
    this.#ended = true;
    this.#tell();
  }

  /** Cuts it short because its node stops: a reader that waits is told so. */
  cut(): void {
    const isOver = this.#ended;
    this.close();
    if (!isOver && this.#cutShort !== undefined) this.#texts = [this.#cutShort];
  }

  /** Ends it for want of a reader; what waits is forgotten. */
  close(): void {
    this.#texts = [];
    this.#ended = true;
    this.#abort.abort(new StreamClosed());
    this.#tell();
    for (const go of [...this.#room.splice(0), ...this.#renewed.splice(0)]) go();
    this.#onGone();
  }

  /**
   * What has come up since the last question; waits until something does, `wait` ms at most. One question at a time.
   * @param meta the caller's rights as they are now, where the answer before this one asked for them
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
      const late = wait === null ? null : setTimeout(() => this.#tell(), wait);
      this.#asked = () => {
        if (late) clearTimeout(late);
        resolve();
      };
    });
  }

  #tell(): void {
    const asked = this.#asked;
    this.#asked = null;
    asked?.();
  }

  async #send(text: string): Promise<void> {
    this.#abort.signal.throwIfAborted();
    this.#texts.push(text);
    this.#waiting += text.length;
    this.#tell();
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
        this.#tell();
        await renewed;
      }
    }
  }
}
