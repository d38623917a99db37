import { randomUUID } from "node:crypto";
import http from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import type { MollieSimulator } from "../../simulators/payment.ts";
import type { WebhookReceiver } from "../../simulators/webhook-receiver.ts";
import type { Answer } from "../../support/http.ts";
import { until } from "../../support/jobs.ts";
import { makeTenant, type Tenant } from "../../support/service.ts";
import { Client } from "./client.ts";

/** The events that go to an organisation's webhook. */
export const REPORTED_EVENTS = ["company.created", "invoice.issued"];
/** Attempts of a callback before the payer's provider gives up. */
const PATIENCE = 240_000;

/** The body of an answer that may be 503 at first: a busy machine takes a while until gateways know of the workers. */
async function made(call: () => Promise<Answer>): Promise<Answer["body"]> {
  const { status, body, text } = await until(async () => {
    const answer = await call().catch(() => null);
    const isOpen =
      answer === null || [502, 503].includes(answer.status) || answer.body?.error?.code === "idempotency_in_progress";
    return isOpen ? null : answer;
  }, PATIENCE);
  // The answer was lost and has a secret that is shown once; the id is enough.
  const lost = body?.error?.code === "idempotency_conflict" ? body.error.details : undefined;
  if (lost?.id) return lost;
  if (status >= 300) throw new Error(`${status} ${text}`);
  return body;
}

/** Simulated programs outside that an office works with. */
interface Outside {
  provider: MollieSimulator;
  webhooks: WebhookReceiver;
}

/** An organisation with its clients of the API, an account at the payment provider and a webhook. */
export class Office {
  tenant!: Tenant;
  account = "";
  readonly clients: Client[] = [];
  others: Office[] = [];
  readonly port: () => number;
  readonly #outside: Outside;

  constructor(port: () => number, outside: Outside) {
    this.port = port;
    this.#outside = outside;
  }

  get hook(): string {
    return `/${this.tenant.organisation.slug}`;
  }

  async open(sql: pg.Client, slug: string, clients: number, seed: number): Promise<void> {
    this.tenant = await makeTenant(sql, this.port, slug);
    const { owner } = this.tenant;
    const { webhooks } = this.#outside;
    const keyed = () => ({ headers: { "Idempotency-Key": `${slug} begins` } });
    const api_key = `live_${randomUUID().replaceAll("-", "")}`;
    const account = { provider: "mollie", label: "Account", api_key };
    this.account = (await made(() => owner.post("/invoicing/payment-accounts", account, keyed()))).id;
    await made(() => owner.put("/invoicing/settings", { company_details: { name: `Office ${slug}` } }, keyed()));
    const hook = { name: "hook", url: webhooks.url(this.hook), events: REPORTED_EVENTS };
    const { secret } = await made(async () => {
      // Its secret is shown once: an endpoint whose answer was lost is of no use.
      const there = await owner.get("/webhooks/endpoints");
      for (const { id } of there.body?.items ?? there.body ?? []) await owner.delete(`/webhooks/endpoints/${id}`);
      return owner.post("/webhooks/endpoints", hook);
    });
    webhooks.trust(this.hook, secret);
    for (let n = 0; n < clients; n++) {
      const { key } = await this.tenant.member("admin");
      this.clients.push(new Client(this, n, seed, key));
    }
  }

  /** The payer pays, and the provider calls back until the service has taken it. */
  async pay(attempt: string): Promise<void> {
    const { provider } = this.#outside;
    const payment = [...provider.payments.values()].find(
      ({ order }) => (order["metadata"] as { intent_id: string }).intent_id === attempt,
    );
    if (!payment) throw new Error(`the provider knows nothing of the attempt ${attempt}`);
    provider.pay(payment.id);
    const { pathname } = new URL(String(payment.order["webhookUrl"]));
    for (const began = performance.now(); ; await delay(300)) {
      const status = await callBack(this.port(), pathname, payment.id).catch(() => 0);
      if (status === 200) return;
      if (![0, 502, 503, 504].includes(status)) throw new Error(`the callback of ${payment.id} was answered ${status}`);
      if (performance.now() - began > PATIENCE) throw new Error(`the callback of ${payment.id} was never answered`);
    }
  }
}

function callBack(port: number, path: string, id: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { "Content-Type": "application/x-www-form-urlencoded", Host: "callbacks.example" };
    const request = http.request({ port, host: "127.0.0.1", path, method: "POST", headers, agent: false });
    request.on("response", (response) => resolve(response.resume().statusCode ?? 0));
    request.on("error", reject).end(new URLSearchParams({ id }).toString());
  });
}
