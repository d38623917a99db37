import { randomUUID } from "node:crypto";
import type { Context, Middleware, ServiceBroker, ServiceSchema } from "moleculer";
import type { Action } from "../core/declare/action.ts";
import { type EventStream, eventText } from "../core/declare/event-stream.ts";
import type { Meta } from "../core/declare/principal.ts";
import { isApiError } from "../core/errors/errors.ts";
import { type Batch, OpenStream } from "../core/http/open-streams.ts";
import { runRequest, type StreamPlace } from "../core/request/context.ts";
import { systemRequest } from "../core/request/system.ts";

/** Interval between two searches for streams without a reader, in ms. */
const LOOK = 15_000;

/** Longest time, in ms, that another node's request for stream data waits. */
const LONGEST_WAIT = 15_000;

/** The streams written by this process, by id. */
const open = new Map<string, OpenStream>();

/** Number of streams written by this process. */
export const openStreamCount = (): number => open.size;

/**
 * Starts writing a stream, outside the request that described it: no transaction is open and no connection held. Its statements see the
 * organisation's rows. While the gateway sends, it checks that the caller still has access.
 */
export function beginStream(
  { broker, meta, nodeID, requestID }: Context<unknown, Meta>,
  action: string,
  { streams: events = {}, acts }: Pick<Action, "streams" | "acts">,
  described: EventStream,
): StreamPlace {
  const id = randomUUID();
  const calls = (name: string, params: object, as: Meta) =>
    broker.call<unknown, object>(name, params, { meta: as, ...(requestID && { requestID }) });
  const last = (code: string, message = `errors.${code}`) =>
    events["error"] ? eventText("error", { code, message }) : undefined;
  const stream = new OpenStream(nodeID ?? broker.nodeID, meta, calls, last("unavailable"), () => open.delete(id));
  open.set(id, stream);
  const store = {
    ...systemRequest(action, meta.organisation, "read"),
    outside: { declared: acts === "outside", begun: false },
    principal: meta.principal,
    requestId: meta.requestId,
  };
  const failed = (error: unknown) => {
    if (stream.writer.signal.aborted) return stream.finish();
    if (isApiError(error)) return stream.finish(last(error.type, error.message));
    const { name, message, stack } = error as Error;
    const { requestId, organisation } = meta;
    broker
      .getLogger("streams")
      .error(
        { event: "streams.stream_failed", requestId, organisation: organisation.slug, error: { name, message, stack } },
        `${action} failed while it streamed`,
      );
    stream.finish(last("server_error", "errors.server"));
  };
  void runRequest(store, async () => described.write(stream.writer)).then(() => stream.finish(), failed);
  return { id, node: broker.nodeID };
}

/** A gateway's request for new stream data. If `renews` is set, its meta carries the caller's current rights. */
type Question = Context<{ id: string; renews: boolean }, Meta>;

/** The answer for a stream that this node no longer writes. */
const OVER: Batch = { text: "", ended: true, stale: false };

/** The actions for gateways on other nodes, which address this node directly. */
const streamsService = (broker: ServiceBroker): ServiceSchema => ({
  name: "$streams",
  actions: {
    take: {
      handler: ({ params: { id, renews }, meta }: Question) =>
        open.get(id)?.take(LONGEST_WAIT, renews ? meta : undefined) ?? OVER,
    },
    close: {
      handler: ({ params: { id } }: Question) => open.get(id)?.close(),
    },
  },
  events: {
    "$node.disconnected": ({ params: { node } }: Context<{ node: { id: string } }>) => {
      closeWhere(({ reader }) => reader === node.id && reader !== broker.nodeID);
    },
  },
});

function closeWhere(isOver: (stream: OpenStream) => boolean): void {
  for (const stream of [...open.values()]) if (isOver(stream)) stream.close();
}

/**
 * Streams across nodes: a gateway requests new data from the writing node. So a slow caller slows its writer, a departed caller ends it,
 * and waiting gateways notice a dead node. Moleculer's own streams offer none of this.
 */
export function streamsMiddleware(): Middleware {
  let looking: NodeJS.Timeout | null = null;
  return {
    name: "Streams",
    created(broker) {
      broker.createService(streamsService(broker));
      looking = setInterval(() => {
        const now = Date.now();
        closeWhere((stream) => stream.isLost(now));
      }, LOOK).unref();
    },
    // Before the actors stop, because they wait for pending requests on their streams.
    async stopping() {
      if (looking) clearInterval(looking);
      for (const stream of [...open.values()]) stream.cut();
    },
  };
}

/** Reads new data of a stream, whichever node writes it. */
export interface StreamReader {
  /** @param meta the caller's current rights, if the previous batch was `stale`. @throws Error if the writing node is unreachable */
  take(meta?: Meta): Promise<Batch>;
  /** Closes the stream; never throws. */
  close(): void;
}

/** The reader of a stream. */
export function readerOf(broker: ServiceBroker, { id, node }: StreamPlace): StreamReader {
  if (node === broker.nodeID)
    return {
      take: (meta) => open.get(id)?.take(null, meta) ?? Promise.resolve(OVER),
      close: () => open.get(id)?.close(),
    };
  const call = <T>(action: string, renews: boolean, meta?: Meta) =>
    broker.call<T, object>(
      `$streams.${action}`,
      { id, renews },
      { nodeID: node, timeout: 2 * LONGEST_WAIT, ...(meta && { meta }) },
    );
  return {
    take: (meta) => call<Batch>("take", meta !== undefined, meta),
    close: () => void call("close", false).catch(() => {}),
  };
}
