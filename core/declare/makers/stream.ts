import type { TProperties, TSchema } from "../../schema/schema.ts";
import { type Action, declared, type Only } from "../action.ts";
import type { EventStream, StreamEvents } from "../event-stream.ts";
import type { ByPermission, ParamsOf, Sent, Work } from "../options.ts";

/** The options of `stream()`. */
interface StreamOptions<R extends string, P extends TProperties, Q extends TProperties, B extends TSchema | undefined>
  extends Sent<R, P, Q, B>,
    ByPermission,
    Work<ParamsOf<R, P, Q, B>, EventStream> {
  /** The events of the stream, each with the schema of its data. */
  streams: StreamEvents;
}

/**
 * Declares a call that answers with a stream of events (`text/event-stream`); its handler returns an `EventStream`. A stream that declares
 * `done` ends automatically; others last until the caller disconnects. It may act outside without `prepare`, since the stream begins when
 * the transaction has ended.
 */
export const stream = <
  const R extends string,
  P extends TProperties = Record<never, never>,
  Q extends TProperties = Record<never, never>,
  B extends TSchema | undefined = undefined,
>(
  declaration: Only<StreamOptions<R, P, Q, B>>,
): Action => declared(declaration);
