import { readFileSync } from "node:fs";
import path from "node:path";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import type { Received, Reply } from "./simulator.ts";

/** The type of a query parameter. */
interface Parameter {
  type: "string" | "integer" | "boolean";
  enum?: string[];
  minimum?: number;
  maximum?: number;
}

interface Operation {
  id: string;
  method: string;
  /** Relative to the root, with parameters in braces. */
  path: string;
  /** HTTP status of a success. */
  status: number;
  query?: Record<string, Parameter>;
  /** Schema of the request body; without it there is none. */
  body?: object;
  /** Schema of a success response, or `text` if it is not JSON. */
  answer: object | "text";
}

/** A description as stored in `descriptions`. */
interface Stored {
  root: string;
  failure: object;
  /** The envelope of every success; `Result` in it is replaced by the operation's answer. */
  success?: object;
  operations: Operation[];
  $defs: Record<string, object>;
}

/** An operation with its checks, compiled on first use: a test calls few of them. */
interface Known extends Operation {
  pattern: RegExp;
  isBody: () => ValidateFunction | undefined;
  isAnswer: () => ValidateFunction | undefined;
}

/** Creates a value on first use. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** An instant with a zone (RFC 3339). */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const PARTS = /\{\w+\}/g;
const said = (where: string, errors: readonly ErrorObject[] | null | undefined): string[] =>
  (errors ?? []).map(({ instancePath, message, params }) => {
    const what = params["additionalProperty"] ?? params["allowedValue"] ?? params["allowedValues"] ?? "";
    return `${where}${instancePath} ${message} ${what}`.trim();
  });

function wrongIn(name: string, value: string, { type, enum: values, minimum, maximum }: Parameter): string[] {
  const wrong = (why: string) => [`query ${name}=${value} ${why}`];
  if (values && !values.includes(value)) return wrong(`is not among ${values.join(", ")}`);
  if (type === "boolean" && !/^(true|false)$/.test(value)) return wrong("is neither true nor false");
  if (type !== "integer") return [];
  if (!/^\d+$/.test(value)) return wrong("is no whole number");
  const number = Number(value);
  return number < (minimum ?? 0) || number > (maximum ?? number) ? wrong(`is not within ${minimum ?? 0} and ${maximum}`) : [];
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/**
 * A provider's API according to its public description: validates requests and responses. A simulator checks everything it receives and
 * sends against it, so that it cannot drift from the provider.
 */
export class Description {
  readonly #root: string;
  readonly #operations: Known[];
  readonly #isFailure: () => ValidateFunction;

  /** @param file relative to `descriptions`; see `descriptionIn` */
  constructor(file: string) {
    const text = readFileSync(path.join(import.meta.dirname, "descriptions", file), "utf8");
    const { root, failure, success, operations, $defs } = JSON.parse(text) as Stored;
    const ajv = new Ajv2020({ strict: false, discriminator: true, allErrors: true });
    ajv.addFormat("instant", INSTANT);
    const compiled = (schema: object) => ajv.compile({ $defs, ...schema });
    const answerOf = (answer: object) =>
      success ? ajv.compile({ ...success, $defs: { ...$defs, Result: answer } }) : compiled(answer);
    this.#root = root;
    this.#isFailure = once(() => compiled(failure));
    this.#operations = operations.map((operation) => ({
      ...operation,
      pattern: new RegExp(`^${operation.path.replace(PARTS, "[^/]+")}$`),
      isBody: once(() => operation.body && compiled(operation.body)),
      isAnswer: once(() => (typeof operation.answer === "object" ? answerOf(operation.answer) : undefined)),
    }));
    // The most literal path first: `…/dns_records/export` before `…/dns_records/{id}`.
    this.#operations.sort((one, other) => one.path.split("{").length - other.path.split("{").length);
  }

  #known({ method, path: asked }: Pick<Received, "method" | "path">): Known | undefined {
    if (!asked.startsWith(this.#root)) return undefined;
    const below = asked.slice(this.#root.length);
    return this.#operations.find((one) => one.method === method && one.pattern.test(below));
  }

  /** The parts of a request the provider does not know; empty if it is valid. */
  wrongInRequest(request: Received): string[] {
    const known = this.#known(request);
    if (!known) return [`no such operation: ${request.method} ${request.path}`];
    const query = [...new Set(request.query.keys())].flatMap((name) => {
      const parameter = known.query?.[name];
      if (!parameter) return [`query ${name} is not known to ${known.id}`];
      const values = request.query.getAll(name);
      return values.length > 1 ? [`query ${name} is repeated`] : wrongIn(name, values[0] as string, parameter);
    });
    const isBody = known.isBody();
    if (!isBody) return request.body === "" ? query : [...query, `${known.id} takes no body`];
    return isBody(parsed(request.body)) ? query : [...query, ...said(`${known.id} body`, isBody.errors)];
  }

  /** The parts of a response the provider would not send; empty if it is valid. */
  wrongInReply(request: Received, { status, body }: Reply): string[] {
    const known = this.#known(request);
    if (known && status < 400 && status !== known.status) return [`${known.id} answers ${known.status}, not ${status}`];
    const check = status >= 400 ? this.#isFailure() : known?.isAnswer();
    if (!check) return [];
    // As serialised: undefined fields are not sent.
    const sent = body === undefined ? undefined : JSON.parse(JSON.stringify(body));
    return check(sent) ? [] : said(`${known?.id ?? "?"} answer ${status}`, check.errors);
  }
}

const read = new Map<string, Description>();

/** The description in a file of `descriptions`, read once per process. */
export function descriptionIn(file: string): Description {
  const known = read.get(file) ?? new Description(file);
  read.set(file, known);
  return known;
}
