import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger, ServiceBroker } from "moleculer";
import { endsByItself, eventText } from "../../../core/http/event-stream.ts";
import type { StreamPlace } from "../../../core/request/context.ts";
import { readerOf, type StreamReader } from "../../../mixins/streams.ts";
import { describe, type Headers, reasonOf } from "../http/answers.ts";
import { AccessWatch } from "./access-watch.ts";
import type { StreamHolder } from "./holder.ts";

/** How often open streams are looked at, in ms: one that has been silent since the look before gets a comment, so that no proxy ends it. */
const HEARTBEAT = 15_000;
/** Looks after which a caller that takes nothing is cut off. */
const MOST_STUCK = 4;
const COMMENT = ":\n\n";

const STREAM_HEADERS = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-store",
  "X-Accel-Buffering": "no",
  "X-Content-Type-Options": "nosniff",
  // A connection that has carried a stream carries nothing after it, so that a node that stops need not wait for it.
  Connection: "close",
};

/** A stream on its way to its caller. */
interface Sent {
  response: ServerResponse;
  reader: StreamReader;
  endsByItself: boolean;
  /** Whether its writer has ended it, or was told to. */
  isOver: boolean;
  isSilent: boolean;
  /** Looks since the caller last took something; null while it takes what comes. */
  stuck: number | null;
}

/** Sends streams of events (server-sent events), each as fast as its caller takes it, until it is over, given up or not allowed any more. */
export class Sending {
  readonly #broker: ServiceBroker;
  readonly #logger: Logger;
  readonly #watch: AccessWatch;
  readonly #forget: (host: string, holder: StreamHolder) => void;
  readonly #open = new Set<Sent>();
  #timer: NodeJS.Timeout | null = null;
  #draining = false;

  /** @param forget drops what is cached of a host's organisation */
  constructor(broker: ServiceBroker, logger: Logger, forget: (host: string, holder: StreamHolder) => void) {
    this.#broker = broker;
    this.#logger = logger;
    this.#forget = forget;
    const failed = (error: unknown) =>
      logger.warn({ reason: reasonOf(error) }, "whether callers of streams may still call is not known");
    this.#watch = new AccessWatch(forget, failed);
  }

  /** Ends the streams that would last for ever, and those of them that come; the others have as long as other requests. */
  drain(): void {
    this.#draining = true;
    for (const sent of [...this.#open]) if (!sent.endsByItself) end(sent);
  }

  /** Answers with a stream; gives control back when it is over. */
  async send(request: IncomingMessage, response: ServerResponse, headers: Headers, place: StreamPlace, holder: StreamHolder) {
    const reader = readerOf(this.#broker, place);
    const sent: Sent = {
      response,
      reader,
      endsByItself: endsByItself(holder.events),
      isOver: false,
      isSilent: false,
      stuck: null,
    };
    response.writeHead(200, { ...headers, ...STREAM_HEADERS });
    response.flushHeaders();
    if (!request.complete) request.resume();
    if (request.method === "HEAD" || response.destroyed || (this.#draining && !sent.endsByItself)) return end(sent);
    this.#open.add(sent);
    this.#timer ??= setInterval(() => this.#beat(), HEARTBEAT).unref();
    const unwatch = this.#watch.add(holder, () => end(sent));
    const onClose = () => end(sent);
    response.once("close", onClose);
    try {
      await this.#relay(sent, holder);
    } finally {
      unwatch();
      this.#open.delete(sent);
      response.off("close", onClose);
      if (this.#open.size === 0 && this.#timer) {
        clearInterval(this.#timer);
        this.#timer = null;
      }
      end(sent);
    }
  }

  async #relay(sent: Sent, holder: StreamHolder): Promise<void> {
    const { response, reader } = sent;
    let stale = false;
    try {
      for (;;) {
        if (stale) {
          this.#forget(holder.host, holder);
          await holder.renew();
        }
        const batch = await reader.take(stale ? holder.meta : undefined);
        sent.isOver ||= batch.ended;
        if (response.writableEnded || response.destroyed) return;
        if (batch.text !== "") {
          sent.isSilent = false;
          if (!response.write(batch.text)) await drained(sent);
        }
        if (batch.ended) return;
        stale = batch.stale;
      }
    } catch (error) {
      if (response.writableEnded || response.destroyed) return;
      this.#logger.warn({ requestId: holder.meta.requestId, error: describe(error) }, "a stream was cut short");
      if (holder.events["error"]) response.write(eventText("error", { code: "unavailable", message: "errors.unavailable" }));
    }
  }

  #beat(): void {
    for (const sent of [...this.#open]) {
      const { response } = sent;
      if (sent.stuck !== null) {
        sent.stuck += 1;
        if (sent.stuck >= MOST_STUCK) response.destroy();
      } else if (sent.isSilent) response.write(COMMENT);
      sent.isSilent = true;
    }
  }
}

/** Ends a stream on both sides; what its caller has not been sent is not sent any more. */
function end(sent: Sent): void {
  if (!sent.isOver) sent.reader.close();
  sent.isOver = true;
  if (!sent.response.writableEnded) sent.response.end();
}

/** Waits until the caller has taken what was sent, or has gone. */
function drained(sent: Sent): Promise<void> {
  const { response } = sent;
  sent.stuck = 0;
  return new Promise((resolve) => {
    const go = () => {
      sent.stuck = null;
      response.off("drain", go);
      response.off("close", go);
      resolve();
    };
    response.on("drain", go);
    response.on("close", go);
  });
}
