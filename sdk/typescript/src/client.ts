import { Answer, type WithResponse } from "./answer.ts";
import { KantoorError } from "./errors.ts";
import { keepEtag } from "./etags.ts";
import { EventStream } from "./events.ts";
import { Download } from "./files.ts";
import { type DeletedRow, Listing, type Page, type ReadPage, type Walk } from "./listing.ts";
import { type Operation, operationOf } from "./operation.ts";
import type { AllOptions, CallOptions, KantoorOptions } from "./options.ts";
import { pause } from "./pause.ts";
import { type Call, Transport } from "./transport.ts";

type Tree = { [name: string]: Tree | ((...given: unknown[]) => unknown) };

/** Pages of a walk are as large as the service allows, and none of them is counted. */
const WALK: Walk = { limit: 200, count: false };
const DELETED = operationOf("GET /deleted query answers:page");

/** An answer of JSON; undefined if it has no body. */
async function jsonOf<T>(response: Response): Promise<T> {
  const text = await response.text();
  if (text === "") return undefined as T;
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    throw new KantoorError(`${response.url} answered with something other than JSON`, { cause: error });
  }
}

function headersOf<T>(data: T, response: Response): WithResponse<T> {
  keepEtag(data, response.headers);
  return {
    data,
    response,
    requestId: response.headers.get("x-request-id") ?? undefined,
    etag: response.headers.get("etag") ?? undefined,
    replayed: response.headers.get("idempotent-replayed") === "true",
  };
}

/** Makes calls of operations, and their answers into what the operation answers with. */
export class Client {
  readonly #transport: Transport;
  /** @throws KantoorError if `baseUrl` is no address */
  constructor(options: KantoorOptions) {
    this.#transport = new Transport(options);
  }

  /** Calls any path of the API, such as one that a module of your own adds; the result is what JSON the answer has. */
  request(method: string, path: string, { body, query, ...options }: RequestOptions = {}): Answer<unknown> {
    const operation = operationOf(`${method.toUpperCase()} ${path} sends:json query`);
    const takesKey = options.idempotencyKey !== undefined;
    return this.#json({ operation: { ...operation, takesKey, parameters: [] }, path: [], body, query, options });
  }

  #json<T>(call: Call): Answer<T> {
    return new Answer(async () => {
      const response = await this.#transport.send(call);
      return headersOf(await jsonOf<T>(response), response);
    });
  }

  #reader<Body>(call: Call): ReadPage<Body> {
    return (parameters) => this.#json<Body>({ ...call, query: { ...call.query, ...parameters } }).withResponse();
  }

  #listing(call: Call): Listing<unknown, Page<unknown> | unknown[]> {
    const deleted = this.#reader<Page<DeletedRow>>({ operation: DELETED, path: [], options: call.options });
    const walk = Object.fromEntries(
      call.operation.walks.filter((name) => call.query?.[name] === undefined).map((name) => [name, WALK[name as keyof Walk]]),
    );
    return new Listing(this.#reader<Page<unknown> | unknown[]>(call), deleted, walk);
  }

  #stream(call: Call): EventStream {
    const open = (lastEventId: string | undefined) =>
      this.#transport.send({ ...call, options: { ...call.options, ...(lastEventId !== undefined && { lastEventId }) } });
    return new EventStream(open, call.operation.method === "GET", (milliseconds) => pause(milliseconds, call.options?.signal));
  }

  /** Makes one call. */
  call(call: Call): unknown {
    const { answer } = call.operation;
    if (answer === "page" || answer === "list") return this.#listing(call);
    if (answer === "events") return this.#stream(call);
    if (answer === "json") return this.#json(call);
    return new Answer<Download | undefined>(async () => {
      const response = await this.#transport.send(call);
      if (answer === "file") return headersOf(new Download(response), response);
      await response.body?.cancel();
      return headersOf(undefined, response);
    });
  }
}

/** Options of a call of any path. An own `idempotencyKey` is sent, and makes a write repeatable. */
export interface RequestOptions extends AllOptions {
  body?: unknown;
  query?: Readonly<Record<string, unknown>>;
}

/** What the arguments of a method are: the parameters of the path, the body, the query, the options. */
function callOf(operation: Operation, given: unknown[]): Call {
  const rest = [...given];
  const path = operation.parameters.map(() => rest.shift() as string);
  const body = operation.body === undefined ? undefined : rest.shift();
  const query = operation.takesQuery ? (rest.shift() as Call["query"]) : undefined;
  return { operation, path, body, query, options: rest.shift() as CallOptions | undefined };
}

/** A method for each line of the table, in groups by its dotted name. */
export function methodsOf(client: Client, table: Readonly<Record<string, string>>): Tree {
  const root: Tree = {};
  for (const [name, line] of Object.entries(table)) {
    const operation = operationOf(line);
    const parts = name.split(".");
    const last = parts.pop() as string;
    let group = root;
    for (const part of parts) group = (group[part] ??= {}) as Tree;
    group[last] = (...given) => client.call(callOf(operation, given));
  }
  return root;
}
