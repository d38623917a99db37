import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger, ServiceBroker } from "moleculer";
import { endsByItself, eventText } from "../../../core/declare/event-stream.ts";
import type { StreamPlace } from "../../../core/request/context.ts";
import { readerOf, type StreamReader } from "../../../mixins/streams.ts";
import { describe, type Headers, reasonOf } from "../http/answers.ts";
import { AccessWatch } from "./access-watch.ts";
import type { StreamHolder } from "./holder.ts";

/** Interval of stream checks, in ms. A silent stream gets a comment, so that no proxy closes it. */
const HEARTBEAT = 15_000;
/** Checks after which a caller that reads nothing is disconnected. */
const MOST_STUCK = 4;
const COMMENT = ":\n\n";

const STREAM_HEADERS = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-store",
  "X-Accel-Buffering": "no",
  "X-Content-Type-Options": "nosniff",
  // A stream's connection carries nothing after it, so a node that shuts down need not wait for it.
  Connection: "close",
};

/** A stream being sent. */
interface OpenStream {
  response: ServerResponse;
  reader: StreamReader;
  endsByItself: boolean;
  /** Whether the writer has ended it, or was asked to. */
  isOver: boolean;
  isSilent: boolean;
  /** Checks since the caller last read something; null while it keeps up. */
  stuck: number | null;
}

/** Sends server-sent events at each caller's pace, until the stream ends, is abandoned or loses access. */
export class Sending {
  readonly #broker: ServiceBroker;
  readonly #logger: Logger;
  readonly #watch: AccessWatch;
  readonly #forget: (host: string, holder: StreamHolder) => void;
  readonly #open = new Set<OpenStream>();
  #timer: NodeJS.Timeout | null = null;
  #draining = false;

  /** @param forget drops the cached organisation of a host */
  constructor(broker: ServiceBroker, logger: Logger, forget: (host: string, holder: StreamHolder) => void) {
    this.#broker = broker;
    this.#logger = logger;
    this.#forget = forget;
    const failed = (error: unknown) =>
      logger.warn(
        { event: "streams.access_not_checked", reason: reasonOf(error) },
        "whether callers of streams may still call is not known",
      );
    this.#watch = new AccessWatch(forget, failed);
  }

  /** Ends endless streams, and refuses new ones; other streams have as long as other requests. */
  drain(): void {
    this.#draining = true;
    for (const sent of [...this.#open]) if (!sent.endsByItself) end(sent);
  }

  /** Answers with a stream; resolves when it ends. */
  async send(request: IncomingMessage, response: ServerResponse, headers: Headers, place: StreamPlace, holder: StreamHolder) {
    const reader = readerOf(this.#broker, place);
    const sent: OpenStream = {
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

  async #relay(sent: OpenStream, holder: StreamHolder): Promise<void> {
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
      this.#logger.warn(
        { event: "streams.stream_cut", requestId: holder.meta.requestId, error: describe(error) },
        "a stream was cut short",
      );
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

/** Ends a stream on both sides; unsent events are dropped. */
function end(sent: OpenStream): void {
  if (!sent.isOver) sent.reader.close();
  sent.isOver = true;
  if (!sent.response.writableEnded) sent.response.end();
}

/** Waits until the caller has read what was sent, or has disconnected. */
function drained(sent: OpenStream): Promise<void> {
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
