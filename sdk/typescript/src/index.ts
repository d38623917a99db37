import { Client, methodsOf } from "./client.ts";
import type { Api } from "./generated/api.ts";
import { OPERATIONS } from "./generated/operations.ts";
import type { WebhookMessage } from "./generated/types.ts";
import type { KantoorOptions } from "./options.ts";
import { verifyWebhook, type WebhookHeaders } from "./webhooks.ts";

export type { Answer, WithResponse } from "./answer.ts";
export type { Change, Changes, ChangesOptions } from "./changes.ts";
export type { RequestOptions } from "./client.ts";
export * from "./errors.ts";
export type { EventStream, ServerEvent } from "./events.ts";
export type { Download, NamedBytes, Upload } from "./files.ts";
export type { Api } from "./generated/api.ts";
export type * from "./generated/types.ts";
export type { DeletedRow, Listing, Page } from "./listing.ts";
export type { CallOptions, ChangeOptions, KantoorOptions, WriteOptions } from "./options.ts";
export { WebhookError, type WebhookHeaders } from "./webhooks.ts";

/** A client of one organisation: a method for each operation of the API, by its name. */
export interface Kantoor extends Api, Pick<Client, "request"> {}

interface KantoorClass {
  /** @throws KantoorError if `baseUrl` is no address */
  new (options: KantoorOptions): Kantoor;
  webhooks: {
    /**
     * The message of a webhook, once its signature is verified.
     * @param body the body exactly as it arrived, before anything parses it
     * @param secret what `webhooks.endpoints.create` returned: `whsec_…`
     * @throws WebhookError
     */
    verify(body: string | Uint8Array, headers: WebhookHeaders, secret: string): WebhookMessage;
  };
}

class KantoorClient extends Client {
  static readonly webhooks = { verify: verifyWebhook };
  constructor(options: KantoorOptions) {
    super(options);
    Object.assign(this, methodsOf(this, OPERATIONS));
  }
}

export const Kantoor: KantoorClass = KantoorClient as unknown as KantoorClass;
