import { type Static, type TSchema, Type } from "../schema/schema.ts";

/** The events of a stream by name, each with the schema of its data, as declared in an action's `streams`. */
export type StreamEvents = Record<string, TSchema>;

/** Data of the `error` event, the last one of a stream that failed. */
export const StreamError = Type.Object({
  code: Type.String({ description: "What went wrong, for programs" }),
  message: Type.String({ description: "Translation key of the message" }),
});
/** Data of an event whose name says everything, such as `done`. */
export const NoData = Type.Object({});

/** Writes a stream, from its first event to its end. */
export interface EventWriter<E extends StreamEvents = StreamEvents> {
  /** Aborted once there is no reader: the caller disconnected or lost access, or a node in between stops. */
  readonly signal: AbortSignal;
  /**
   * Sends one event, and resolves when there is room for another: a slow reader slows its writer down.
   * @param id the `Last-Event-ID` that the reader sends when it reconnects
   * @throws the reason of `signal` once that is aborted
   */
  send<N extends keyof E & string>(event: N, data: Static<E[N]>, id?: string): Promise<void>;
  /**
   * Calls another actor as the caller, with the caller's current rights, not those from the start of the stream.
   * @throws the action's error; the reason of `signal` once that is aborted
   */
  call<T>(action: string, params: object): Promise<T>;
}

/**
 * A stream of events as an action's response (server-sent events, WHATWG HTML §9.2). The handler describes it; it begins after the request
 * has committed, without holding a connection.
 */
export class EventStream {
  readonly write: (out: EventWriter) => Promise<void>;

  constructor(write: (out: EventWriter) => Promise<void>) {
    this.write = write;
  }
}

/**
 * Responds with a stream, which ends when `write` does. If `write` throws, the stream sends an `error` event, if the action declares one,
 * and ends. Each statement in it is a read of its own; writes go through `storeOutsideResult` of mixins/tenancy.ts.
 */
export const eventStream = <E extends StreamEvents>(write: (out: EventWriter<E>) => Promise<void>): EventStream =>
  new EventStream(write as (out: EventWriter) => Promise<void>);

/** One event in wire format. JSON text has no line breaks, so its data is one line; line breaks in an id would end it. */
export const eventText = (event: string, data: unknown, id?: string): string =>
  `${id === undefined ? "" : `id: ${id.replace(/[\r\n\0]/g, "")}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** True for a stream that ends automatically, which declares `done`. Others last until the caller closes them. */
export const endsByItself = (events: object): boolean => "done" in events;
