import { Webhook } from "standardwebhooks";
import { Misunderstood, type Received, type Reply, Simulator } from "./simulator.ts";

/** A verified message. */
export interface Message {
  id: string;
  type: string;
  timestamp: string;
  data: Record<string, unknown> & { entity_id?: string; payload?: Record<string, unknown> };
}

/**
 * A webhook receiver that accepts a message only if the official Standard Webhooks library verifies it. Each path is a separate receiver
 * with its own secrets.
 */
export class WebhookReceiver extends Simulator {
  readonly messages: (Message & { path: string })[] = [];
  readonly #secrets = new Map<string, string>();

  /** The address of a receiver. */
  url(path: string): string {
    return `${this.origin}${path}`;
  }

  /** Verifies messages at a path with a secret from now on. */
  trust(path: string, secret: string): void {
    this.#secrets.set(path, secret);
  }

  /** Messages at a path, in order of arrival. */
  at(path: string): Message[] {
    return this.messages.filter((message) => message.path === path);
  }

  protected answer({ method, path, headers, body }: Received): Reply {
    const secret = this.#secrets.get(path);
    if (method !== "POST" || secret === undefined) throw new Misunderstood("nobody receives here");
    if (headers["content-type"] !== "application/json") throw new Misunderstood("this is no JSON");
    let message: Omit<Message, "id">;
    try {
      message = new Webhook(secret).verify(body, headers as Record<string, string>) as Omit<Message, "id">;
    } catch (error) {
      throw new Misunderstood(`the signature does not verify: ${(error as Error).message}`);
    }
    this.messages.push({ ...message, path, id: headers["webhook-id"] as string });
    return { status: 200, body: { taken: true } };
  }
}
