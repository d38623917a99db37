import { Misunderstood, type Received, type Reply, Simulator } from "./simulator.ts";

type Value = string | number | boolean;

/** A span as it arrived. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  /** Undefined for the first span of a trace. */
  parentSpanId: string | undefined;
  name: string;
  kind: "internal" | "server" | "client" | "producer" | "consumer";
  hasFailed: boolean;
  attributes: Record<string, Value>;
  links: string[];
  /** Attributes of the process that made it. */
  resource: Record<string, Value>;
}

const KINDS = [undefined, "internal", "server", "client", "producer", "consumer"] as const;

/** The object at a place of the message. @throws Misunderstood for another value, and for a field that OTLP does not have */
function fields(value: unknown, at: string, ...names: string[]): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Misunderstood(`${at} is no object`);
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Misunderstood(`${at} has the unknown field '${unknown}'`);
  return value as Record<string, unknown>;
}

function items(value: unknown, at: string): unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new Misunderstood(`${at} is no list`);
  return value;
}

function text(value: unknown, at: string, form?: RegExp): string {
  if (typeof value !== "string" || form?.test(value) === false) throw new Misunderstood(`${at} is ${JSON.stringify(value)}`);
  return value;
}

const VALUES = { stringValue: "string", boolValue: "boolean", intValue: "number", doubleValue: "number" } as const;

/** Attributes of one place: each key once, each with one value of a type. */
function attributesOf(value: unknown, at: string): Record<string, Value> {
  const found: Record<string, Value> = {};
  for (const one of items(value, at)) {
    const { key, value: held } = fields(one, at, "key", "value");
    const name = text(key, `${at}.key`);
    const [[type, inner] = ["", undefined], ...rest] = Object.entries(fields(held, `${at}.${name}`, ...Object.keys(VALUES)));
    if (rest.length > 0 || typeof inner !== VALUES[type as keyof typeof VALUES])
      throw new Misunderstood(`${at}.${name} is not one value`);
    if (name in found) throw new Misunderstood(`${at}.${name} is there twice`);
    found[name] = inner as Value;
  }
  return found;
}

const TRACE = /^(?!0{32})[0-9a-f]{32}$/;
const SPAN = /^(?!0{16})[0-9a-f]{16}$/;
const NANOSECONDS = /^\d{19}$/;
const COUNTS = ["droppedAttributesCount", "droppedEventsCount", "droppedLinksCount"];

function spanOf(value: unknown, resource: Record<string, Value>): ReceivedSpan {
  const known = [
    "traceId",
    "spanId",
    "parentSpanId",
    "traceState",
    "flags",
    "name",
    "kind",
    "startTimeUnixNano",
    "endTimeUnixNano",
  ];
  const span = fields(value, "span", ...known, "attributes", "events", "links", "status", ...COUNTS);
  const name = text(span["name"], "name", /^.{1,200}$/);
  const kind = KINDS[span["kind"] as number];
  if (!kind) throw new Misunderstood(`${name} has the kind ${span["kind"]}`);
  const [begin, end] = [span["startTimeUnixNano"], span["endTimeUnixNano"]].map((one) => text(one, "time", NANOSECONDS));
  if (BigInt(end as string) < BigInt(begin as string)) throw new Misunderstood(`${name} ends before it begins`);
  for (const count of COUNTS) if (span[count]) throw new Misunderstood(`${name} has ${count} ${span[count]}`);
  const status = fields(span["status"] ?? {}, "status", "code", "message");
  const parent = span["parentSpanId"];
  return {
    traceId: text(span["traceId"], "traceId", TRACE),
    spanId: text(span["spanId"], "spanId", SPAN),
    parentSpanId: parent === undefined ? undefined : text(parent, "parentSpanId", SPAN),
    name,
    kind,
    hasFailed: status["code"] === 2,
    attributes: attributesOf(span["attributes"], name),
    links: items(span["links"], "links").map((link) => {
      const linked = fields(link, "link", "traceId", "spanId", "traceState", "attributes", "droppedAttributesCount", "flags");
      return `${text(linked["traceId"], "link", TRACE)}-${text(linked["spanId"], "link", SPAN)}`;
    }),
    resource,
  };
}

/** A collector that takes traces by OTLP over HTTP, in JSON, and refuses what is not of its form. */
export class Collector extends Simulator {
  readonly spans: ReceivedSpan[] = [];

  /** The spans of a trace, in order of arrival. */
  trace(id: string): ReceivedSpan[] {
    return this.spans.filter(({ traceId }) => traceId === id);
  }

  /** All that arrived, as it was sent. */
  get bytes(): string {
    return this.received.map(({ body }) => body).join("\n");
  }

  protected answer({ method, path, headers, body }: Received): Reply {
    if (method !== "POST" || path !== "/v1/traces") throw new Misunderstood("traces are taken at /v1/traces");
    if (headers["content-type"] !== "application/json") throw new Misunderstood("this is no JSON");
    const message = fields(JSON.parse(body), "message", "resourceSpans");
    for (const ofResource of items(message["resourceSpans"], "resourceSpans")) {
      const { resource, scopeSpans } = fields(ofResource, "resourceSpans", "resource", "scopeSpans", "schemaUrl");
      const from = attributesOf(fields(resource, "resource", "attributes", "droppedAttributesCount")["attributes"], "resource");
      if (!from["service.name"]) throw new Misunderstood("the resource has no service.name");
      for (const ofScope of items(scopeSpans, "scopeSpans"))
        for (const span of items(fields(ofScope, "scopeSpans", "scope", "spans", "schemaUrl")["spans"], "spans"))
          this.spans.push(spanOf(span, from));
    }
    return { status: 200, body: {} };
  }
}
