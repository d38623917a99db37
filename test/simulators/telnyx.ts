import { randomUUID } from "node:crypto";
import { KeyedLedger } from "./keyed-writes.ts";
import { Misunderstood, type Received, type Reply, Simulator } from "./simulator.ts";

/** A message the gateway accepted. */
export interface SentSms {
  id: string;
  key: string;
  from: string;
  to: string;
  text: string;
}

const E164 = /^\+[1-9]\d{6,14}$/;
const FIELDS = new Set(["from", "to", "text", "type", "messaging_profile_id"]);

const refusal = (status: number, code: string, title: string, detail: string): Reply => ({
  status,
  body: { errors: [{ code, title, detail }] },
});

/** Telnyx's Messaging API for sending: `POST /v2/messages` with a bearer key and an `Idempotency-Key`. */
export class TelnyxSimulator extends Simulator {
  readonly key = "KEY0123456789ABCDEF_simulated";
  readonly profile = "b1a7c0de-0000-4000-8000-000000000001";
  readonly ledger = new KeyedLedger();
  readonly sent: SentSms[] = [];
  /** Numbers the gateway rejects permanently. */
  readonly barred = new Set<string>();

  /** Value of `SERVICE_SMS_API_URL`. */
  get baseUrl(): string {
    return `${this.origin}/v2`;
  }

  override reset(): void {
    super.reset();
    this.ledger.reset();
    this.sent.length = 0;
    this.barred.clear();
  }

  protected answer({ method, path, query, headers, body }: Received): Reply {
    if (method !== "POST" || path !== "/v2/messages" || query.size > 0) throw new Misunderstood("no such operation");
    const secret = ["cookie", "x-api-key"].find((name) => headers[name] !== undefined);
    if (secret) throw new Misunderstood(`'${secret}' has no business here`);
    if (headers["content-type"] !== "application/json") throw new Misunderstood(`the body is ${headers["content-type"]}`);
    if (headers.authorization !== `Bearer ${this.key}`)
      return refusal(401, "10009", "Authentication failed", "The key is wrong.");
    const key = String(headers["idempotency-key"] ?? "");
    if (!/^[A-Za-z0-9_:-]{1,255}$/.test(key)) throw new Misunderstood(`the idempotency key is '${key}'`);
    const message = this.#messageIn(body);
    if (this.barred.has(message.to))
      return refusal(422, "40310", "Invalid 'to' address", `${message.to} is not a mobile number.`);
    return this.ledger.once(key, body, () => {
      const id = randomUUID();
      this.sent.push({ id, key, ...message });
      const to = [{ phone_number: message.to, status: "queued" }];
      return {
        status: 200,
        body: { data: { id, record_type: "message", direction: "outbound", type: "SMS", to, text: message.text } },
      };
    });
  }

  #messageIn(body: string): { from: string; to: string; text: string } {
    const given = JSON.parse(body) as Record<string, unknown>;
    const unknown = Object.keys(given).find((field) => !FIELDS.has(field));
    if (unknown) throw new Misunderstood(`unknown field '${unknown}'`);
    const { from, to, text, type, messaging_profile_id: profile } = given;
    if (typeof to !== "string" || !E164.test(to)) throw new Misunderstood(`'to' is '${to}'`);
    if (typeof from !== "string" || (!E164.test(from) && !/^[A-Za-z0-9 ]{1,11}$/.test(from)))
      throw new Misunderstood(`'from' is '${from}'`);
    if (!E164.test(from) && profile !== this.profile) throw new Misunderstood("a name as sender needs the messaging profile");
    if (typeof text !== "string" || text === "" || type !== "SMS") throw new Misunderstood("'text' or 'type' is wrong");
    return { from, to, text };
  }
}
