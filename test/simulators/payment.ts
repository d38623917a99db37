import { randomBytes } from "node:crypto";
import http from "node:http";
import { descriptionIn } from "./description.ts";
import { Misunderstood, type Received, type Reply, Simulator } from "./simulator.ts";

type Amount = { currency: string; value: string };
type Status = "open" | "pending" | "authorized" | "paid" | "failed" | "expired" | "canceled" | (string & {});

/** A payment as the provider stores it. */
export interface SimulatedPayment {
  id: string;
  key: string;
  mode: "test" | "live";
  status: Status;
  amount: Amount;
  method: string | null;
  paidAt: string | null;
  details: Record<string, unknown> | null;
  /** The order as received. */
  order: Record<string, unknown>;
}

const FIELDS = new Set(["amount", "description", "redirectUrl", "webhookUrl", "metadata", "locale"]);
const FINAL = new Set<Status>(["paid", "failed", "expired", "canceled"]);
const UNPAID = new Set<Status>(["open", "pending", "authorized"]);
const ROOT = "/v2";

const problem = (status: number, title: string, detail: string, field?: string): Reply => ({
  status,
  headers: { "Content-Type": "application/hal+json" },
  body: { status, title, detail, ...(field !== undefined && { field }), _links: { documentation: DOCUMENTATION } },
});

const page = (href: string, type = "text/html") => ({ href, type });
const DOCUMENTATION = page("https://docs.mollie.example");
/** A payment method as listed for an account. */
const shownMethod = (id: string, root: string) => ({
  resource: "method",
  id,
  description: id,
  minimumAmount: { currency: "EUR", value: "0.01" },
  maximumAmount: null,
  image: { size1x: "https://pay.example/1.png", size2x: "https://pay.example/2.png", svg: "https://pay.example/1.svg" },
  status: "activated",
  _links: { self: page(`${root}/methods/${id}`, "application/hal+json") },
});

/**
 * Mollie's Payments API v2, as far as this service calls it: payments belong to the key that created them, the key's prefix sets the mode,
 * and `Idempotency-Key` is honoured. Callbacks contain only an id and are delivered on command.
 */
export class MollieSimulator extends Simulator {
  protected override readonly described = descriptionIn("mollie.v2.json");
  readonly payments = new Map<string, SimulatedPayment>();
  /** Keys that the provider rejects. */
  readonly revoked = new Set<string>();
  methods = ["ideal", "creditcard", "banktransfer"];
  readonly #kept = new Map<string, { body: string; reply: Reply }>();
  readonly #running = new Set<string>();
  readonly #asked = new Map<string, number>();

  /** Value of `SERVICE_PAYMENT_API_ROOT`. */
  get root(): string {
    return `${this.origin}${ROOT}`;
  }

  override reset(): void {
    super.reset();
    for (const kept of [this.payments, this.#kept, this.#asked]) kept.clear();
    this.revoked.clear();
    this.#running.clear();
    this.methods = ["ideal", "creditcard", "banktransfer"];
  }

  /** Number of requests of an operation: `create`, `get` or `methods`; with an id, for that payment. */
  calls(operation: "create" | "get" | "methods", id = ""): number {
    return this.#asked.get(`${operation} ${id}`.trim()) ?? 0;
  }

  /** The payments made with a key, oldest first. */
  of(key: string): SimulatedPayment[] {
    return [...this.payments.values()].filter((payment) => payment.key === key);
  }

  /** Changes a payment like its payer or a bank. */
  move(id: string, change: Partial<Pick<SimulatedPayment, "status" | "amount" | "method" | "paidAt" | "details">>): void {
    Object.assign(this.#payment(id), change);
  }

  /** Pays it now, in full, by iDEAL. */
  pay(id: string, change: Partial<SimulatedPayment> = {}): void {
    this.move(id, { status: "paid", method: "ideal", paidAt: new Date().toISOString(), ...change });
  }

  /** Delivers a payment's callback to the service on a port, `times` times concurrently. Returns the statuses. */
  callback(id: string, port: number, times = 1): Promise<number[]> {
    const { pathname } = new URL(String(this.#payment(id).order["webhookUrl"]));
    return Promise.all(Array.from({ length: times }, () => post(port, pathname, new URLSearchParams({ id }).toString())));
  }

  #payment(id: string): SimulatedPayment {
    const found = this.payments.get(id);
    if (!found) throw new Error(`the simulator has no payment ${id}`);
    return found;
  }

  #count(operation: string, id = ""): void {
    for (const name of new Set([operation, `${operation} ${id}`.trim()])) this.#asked.set(name, (this.#asked.get(name) ?? 0) + 1);
  }

  protected answer(request: Received): Reply {
    const { method, path, query, headers } = request;
    const secret = ["cookie", "x-api-key"].find((name) => headers[name] !== undefined);
    if (secret) throw new Misunderstood(`'${secret}' has no business here`);
    const [, key = "", mode = ""] = /^Bearer ((test|live)_\S+)$/.exec(headers.authorization ?? "") ?? [];
    if (key === "" || this.revoked.has(key))
      return problem(401, "Unauthorized Request", `Missing authentication, or failed to authenticate with ${key}`);
    if (method === "GET" && path === `${ROOT}/methods`) {
      this.#count("methods");
      const methods = this.methods.map((id) => shownMethod(id, this.root));
      const _links = { self: page(`${this.root}/methods`, "application/hal+json"), documentation: DOCUMENTATION };
      return { status: 200, body: { count: methods.length, _embedded: { methods }, _links } };
    }
    if (query.size > 0) throw new Misunderstood(`'${[...query.keys()][0]}' may not be asked with a key`);
    if (method === "POST" && path === `${ROOT}/payments`) return this.#create(request, key, mode as "test" | "live");
    const [, id] = /^\/v2\/payments\/(tr_[A-Za-z0-9]+)$/.exec(path) ?? [];
    if (method !== "GET" || id === undefined) throw new Misunderstood("no such operation");
    this.#count("get", id);
    const payment = this.payments.get(id);
    if (payment?.key !== key) return problem(404, "Not Found", `No payment exists with token ${id}.`);
    const isDescribed = FINAL.has(payment.status) || UNPAID.has(payment.status);
    return { status: 200, body: this.#shown(payment), ...(!isDescribed && { deviates: true }) };
  }

  #create({ headers, body }: Received, key: string, mode: "test" | "live"): Reply {
    this.#count("create");
    if (headers["content-type"] !== "application/json") throw new Misunderstood(`the body is ${headers["content-type"]}`);
    const idempotency = String(headers["idempotency-key"] ?? "");
    if (idempotency === "") throw new Misunderstood("a payment needs an Idempotency-Key");
    const place = `${key} ${idempotency}`;
    if (this.#running.has(place)) return problem(409, "Conflict", "A request with this idempotency key is being processed.");
    const kept = this.#kept.get(place);
    if (kept && kept.body !== body) return problem(400, "Bad Request", "This idempotency key came with another body.");
    if (kept) return { ...kept.reply, headers: { ...kept.reply.headers, "Idempotent-Replayed": "true" } };
    const order = orderIn(body);
    const payment: SimulatedPayment = {
      id: `tr_${randomBytes(5).toString("hex")}`,
      key,
      mode,
      status: "open",
      amount: order["amount"] as Amount,
      method: null,
      paidAt: null,
      details: null,
      order,
    };
    this.payments.set(payment.id, payment);
    const reply = { status: 201, headers: { "Content-Type": "application/hal+json" }, body: this.#shown(payment) };
    this.#kept.set(place, { body, reply });
    this.#running.add(place);
    return reply;
  }

  protected override answered({ method, headers }: Received): void {
    if (method === "POST")
      this.#running.delete(`${headers.authorization?.slice("Bearer ".length)} ${headers["idempotency-key"]}`);
  }

  #shown({ id, mode, status, amount, method, paidAt, details, order }: SimulatedPayment): Record<string, unknown> {
    const isPayable = !FINAL.has(status) && status !== "authorized";
    return {
      resource: "payment",
      id,
      mode,
      createdAt: "2026-03-31T20:00:00+00:00",
      status,
      isCancelable: false,
      amount,
      description: order["description"],
      method,
      metadata: order["metadata"],
      profileId: "pfl_simulated",
      sequenceType: "oneoff",
      redirectUrl: order["redirectUrl"],
      webhookUrl: order["webhookUrl"],
      ...(paidAt !== null && { paidAt }),
      details: details ?? (status === "paid" ? { consumerName: "T. Payer", consumerAccount: "NL53INGB0618365937" } : undefined),
      _links: {
        self: page(`${this.root}/payments/${id}`, "application/hal+json"),
        dashboard: page(`https://pay.example/dashboard/${id}`),
        ...(isPayable && { checkout: { href: `https://pay.example/checkout/${id}?secret=of-the-payer`, type: "text/html" } }),
      },
    };
  }
}

/** Mollie's currencies without decimals. */
const WITHOUT_PARTS = new Set(["ISK", "JPY"]);

/** Parses an order. @throws Misunderstood */
function orderIn(body: string): Record<string, unknown> {
  const order = JSON.parse(body) as Record<string, unknown>;
  const unknown = Object.keys(order).find((field) => !FIELDS.has(field));
  if (unknown) throw new Misunderstood(`unknown field '${unknown}'`);
  const { amount, description, redirectUrl, webhookUrl, metadata, locale } = order;
  const { currency, value, ...more } = (amount ?? {}) as Record<string, unknown>;
  const form = WITHOUT_PARTS.has(String(currency)) ? /^\d{1,10}$/ : /^\d{1,10}\.\d{2}$/;
  if (!/^[A-Z]{3}$/.test(String(currency)) || typeof value !== "string" || !form.test(value))
    throw new Misunderstood(`the amount is ${JSON.stringify(amount)}`);
  if (Object.keys(more).length > 0 || Number(value) <= 0) throw new Misunderstood(`the amount is ${JSON.stringify(amount)}`);
  if (typeof description !== "string" || description === "" || description.length > 255)
    throw new Misunderstood(`the description is '${description}'`);
  for (const address of [redirectUrl, webhookUrl])
    if (!URL.canParse(String(address))) throw new Misunderstood(`'${address}' is no address`);
  if (typeof metadata !== "object") throw new Misunderstood("the metadata are no object");
  if (locale !== undefined && !/^[a-z]{2}_[A-Z]{2}$/.test(String(locale))) throw new Misunderstood(`the locale is '${locale}'`);
  return order;
}

/** Posts a form like the provider's callbacks to the service on a local port; returns the status. */
function post(port: number, path: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { "Content-Type": "application/x-www-form-urlencoded", Host: "callbacks.example" };
    const request = http.request({ port, host: "127.0.0.1", path, method: "POST", headers, agent: false });
    request.on("response", (response) => resolve(response.resume().statusCode ?? 0));
    request.on("error", reject).end(body);
  });
}
