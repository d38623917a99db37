import { type Static, type TSchema, Type } from "../declare/schema.ts";

/** Events of a stream by name, each with the schema of its data, as `streams` of an action declares them. */
export type StreamEvents = Record<string, TSchema>;

/** Data of the `error` event, the last one of a stream that could not be brought to its end. */
export const StreamError = Type.Object({
  code: Type.String({ description: "What went wrong, for programs" }),
  message: Type.String({ description: "Translation key of the message" }),
});
/** Data of an event that says all by its name, such as `done`. */
export const NoData = Type.Object({});

/** What a stream is written with, from its first event to its end. */
export interface EventWriter<E extends StreamEvents = StreamEvents> {
  /** Aborted once there is no reader left: the caller has gone or may no longer call, or a node on the way stops. */
  readonly signal: AbortSignal;
  /**
   * Sends one event, and gives control back when there is room for another: a reader that is slow slows its writer down.
   * @param id what the reader names as `Last-Event-ID` when it comes again
   * @throws the reason of `signal` once that is aborted
   */
  send<N extends keyof E & string>(event: N, data: Static<E[N]>, id?: string): Promise<void>;
  /**
   * Calls another actor as the caller, with the caller's rights as they are at that moment and not as they were when the stream began.
   * @throws what the action throws; the reason of `signal` once that is aborted
   */
  call<T>(action: string, params: object): Promise<T>;
}

/**
 * A stream of events as an action's answer (server-sent events, WHATWG HTML §9.2). Described by the handler, begun when its request is over:
 * its transaction has been committed and no connection is held.
 */
export class EventStream {
  readonly write: (out: EventWriter) => Promise<void>;

  constructor(write: (out: EventWriter) => Promise<void>) {
    this.write = write;
  }
}

/**
 * Answers with a stream. What `write` throws is told as an `error` event where the action declares one, and ends the stream; so does the end
 * of `write`. Statements in it are reads of their own, writes go through `keepTold` of mixins/tenancy.ts.
 */
export const eventStream = <E extends StreamEvents>(write: (out: EventWriter<E>) => Promise<void>): EventStream =>
  new EventStream(write as (out: EventWriter) => Promise<void>);

/** One event as it travels. JSON has no line breaks of its own, so its data is one line; line breaks in an id would end it. */
export const eventText = (event: string, data: unknown, id?: string): string =>
  `${id === undefined ? "" : `id: ${id.replace(/[\r\n\0]/g, "")}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** True for a stream that comes to an end by itself: one that declares `done`. The others last as long as their caller wants. */
export const endsByItself = (events: object): boolean => "done" in events;
