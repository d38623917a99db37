/** One server-sent event, its data parsed. */
export interface ServerEvent {
  event: string;
  data: unknown;
  /** For `lastEventId`, where the stream can be continued. */
  id?: string;
}

/** Splits a stream of bytes into lines; CR, LF and CRLF end one. */
async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      // A CR at the end may be the first half of a CRLF.
      const cut = !done && rest.endsWith("\r") ? rest.length - 1 : rest.length;
      const lines = rest.slice(0, cut).split(/\r\n|\n|\r/);
      rest = (lines.pop() ?? "") + rest.slice(cut);
      yield* lines;
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Reads a body of server-sent events, as HTML describes the format. Comments, which keep the connection open, are skipped. */
export async function* eventsOf(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<ServerEvent & { retry?: number }, void, undefined> {
  let event = "";
  let data: string[] = [];
  let id: string | undefined;
  let retry: number | undefined;
  for await (const line of linesOf(body)) {
    if (line === "") {
      if (data.length > 0)
        yield {
          event: event || "message",
          data: parsed(data.join("\n")),
          ...(id !== undefined && { id }),
          ...(retry !== undefined && { retry }),
        };
      event = "";
      data = [];
      continue;
    }
    const [, field = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === "event") event = value;
    else if (field === "data") data.push(value);
    else if (field === "id" && !value.includes("\0")) id = value;
    else if (field === "retry" && /^\d+$/.test(value)) retry = Number(value);
  }
}

/** Opens the stream, after the event with an id if there is one. */
export type OpenStream = (lastEventId: string | undefined) => Promise<Response>;

/**
 * The events of a stream. Leaving the loop closes the connection.
 *
 * A stream that can be continued (its operation is a read) is opened again after the last event when the connection breaks; the answer
 * of a model is not, for that would ask it again.
 */
export class EventStream<Event extends ServerEvent = ServerEvent> implements AsyncIterable<Event> {
  readonly #open: OpenStream;
  readonly #continues: boolean;
  readonly #pause: (milliseconds: number) => Promise<void>;
  constructor(open: OpenStream, continues: boolean, pause: (milliseconds: number) => Promise<void>) {
    this.#open = open;
    this.#continues = continues;
    this.#pause = pause;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void, undefined> {
    let last: string | undefined;
    let wait = 1_000;
    do {
      const { body } = await this.#open(last);
      if (body === null) return;
      try {
        for await (const { retry, ...event } of eventsOf(body)) {
          if (event.id !== undefined) last = event.id;
          if (retry !== undefined) wait = retry;
          yield event as Event;
        }
      } catch (error) {
        if (!this.#continues) throw error;
      }
      if (this.#continues) await this.#pause(wait);
    } while (this.#continues);
  }
}
