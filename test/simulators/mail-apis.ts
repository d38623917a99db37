import { Misunderstood, type Received, type Reply, Simulator } from "./simulator.ts";

/** An attachment. */
export interface TakenFile {
  name: string;
  /** Null if the provider infers it from the name. */
  type: string | null;
  bytes: Buffer;
}

/** A mail as the provider parsed it. */
export interface Taken {
  messageId: string;
  to: string;
  /** Other recipients of the same message. */
  also: string[];
  toName: string | null;
  from: string;
  fromName: string | null;
  replyTo: string | null;
  subject: string;
  text: string;
  html: string;
  files: TakenFile[];
  /** Images embedded in the HTML by `cid:` and this name. */
  pictures: TakenFile[];
}

const ADDRESS = /^[^\s@<>"]+@[^\s@<>"]+$/;

/** Returns an object with exactly these properties; those marked `?` are optional. @throws Misunderstood */
function shaped(value: unknown, ...names: string[]): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Misunderstood("an object was expected");
  const record = value as Record<string, unknown>;
  const known = new Set(names.map((name) => name.replace("?", "")));
  const stranger = Object.keys(record).find((key) => !known.has(key));
  if (stranger) throw new Misunderstood(`'${stranger}' is no parameter`);
  const missing = names.find((name) => !name.endsWith("?") && record[name] === undefined);
  if (missing) throw new Misunderstood(`'${missing}' is missing`);
  return record;
}

function words(value: unknown, what: string): string {
  if (typeof value !== "string" || value === "") throw new Misunderstood(`'${what}' is no text`);
  return value;
}

function bytes(value: unknown, what: string): Buffer {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(words(value, what))) throw new Misunderstood(`'${what}' is no base64`);
  return Buffer.from(value as string, "base64");
}

/** An optional list that must not be empty if present. */
function several(value: unknown, what: string): unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length === 0) throw new Misunderstood(`'${what}' is no list`);
  return value;
}

function oneOnly(value: unknown, what: string): unknown {
  if (!Array.isArray(value) || value.length !== 1) throw new Misunderstood(`'${what}' is no list of one`);
  return value[0];
}

function person(value: unknown, what: string): { address: string; name: string | null } {
  const { email, name } = shaped(value, "email", "name?");
  if (!ADDRESS.test(words(email, what))) throw new Misunderstood(`'${what}' is no address`);
  return { address: email as string, name: name === undefined ? null : words(name, `${what} name`) };
}

type Person = ReturnType<typeof person>;

/** The recipients of one message, without duplicates: the providers reject those. */
function people(value: unknown, one: (given: unknown, what: string) => Person): [Person, ...Person[]] {
  if (!Array.isArray(value) || value.length === 0) throw new Misunderstood("'to' is no list");
  const all = value.map((given) => one(given, "to")) as [Person, ...Person[]];
  if (new Set(all.map(({ address }) => address.toLowerCase())).size < all.length) throw new Misunderstood("a recipient twice");
  return all;
}

/** The common part of the three providers: one operation, a key, JSON, and a list of accepted mails. */
abstract class MailApi extends Simulator {
  readonly taken: Taken[] = [];
  /** The valid key. */
  key = "made-up-key-0123456789";
  /** Refusals of the next mails. */
  #refusals: Reply[] = [];
  protected abstract readonly path: string;

  get baseUrl(): string {
    return `${this.origin}/v3`;
  }

  refuse(...refusals: Reply[]): void {
    this.#refusals.push(...refusals);
  }

  override reset(): void {
    super.reset();
    this.taken.length = 0;
    this.#refusals = [];
  }

  protected abstract keyOf(headers: Received["headers"]): string | undefined;
  protected abstract readonly denied: Reply;
  protected abstract take(body: unknown): Reply;

  protected answer({ method, path, query, headers, body }: Received): Reply {
    if (method !== "POST" || path !== `/v3${this.path}`) throw new Misunderstood("no such operation");
    if ([...query].length > 0) throw new Misunderstood("parameters stand in the body");
    if (!/^application\/json\b/.test(headers["content-type"] ?? "")) throw new Misunderstood("the body is not JSON");
    if (headers.cookie !== undefined || headers["x-api-key"] !== undefined)
      throw new Misunderstood("somebody's credential came along");
    if (this.keyOf(headers) !== this.key) return this.denied;
    return this.#refusals.shift() ?? this.take(JSON.parse(body));
  }
}

/** Brevo, "Send a transactional email": rejects a key seen in the last half hour as a duplicate. */
export class BrevoSimulator extends MailApi {
  protected readonly path = "/smtp/email";
  protected readonly denied: Reply = { status: 401, body: { code: "unauthorized", message: "Key not found" } };
  readonly #keys = new Set<string>();

  protected keyOf(headers: Received["headers"]): string | undefined {
    return headers["api-key"] as string | undefined;
  }

  protected take(body: unknown): Reply {
    const given = shaped(body, "sender", "to", "replyTo?", "subject", "textContent", "htmlContent", "attachment?", "headers");
    const headers = shaped(
      given["headers"],
      "Message-ID",
      "Auto-Submitted",
      "List-Unsubscribe?",
      "List-Unsubscribe-Post?",
      "idempotencyKey",
    );
    const key = words(headers["idempotencyKey"], "idempotencyKey");
    if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(key)) throw new Misunderstood("the idempotency key is no UUID");
    if (this.#keys.has(key))
      return { status: 400, body: { code: "duplicate_parameter", message: "idempotencyKey is already used" } };
    this.#keys.add(key);
    const from = person(given["sender"], "sender");
    const [to, ...also] = people(given["to"], person);
    const messageId = words(headers["Message-ID"], "Message-ID");
    this.taken.push({
      messageId,
      to: to.address,
      also: also.map(({ address }) => address),
      toName: to.name,
      from: from.address,
      fromName: from.name,
      replyTo: given["replyTo"] === undefined ? null : person(given["replyTo"], "replyTo").address,
      subject: words(given["subject"], "subject"),
      text: words(given["textContent"], "textContent"),
      html: words(given["htmlContent"], "htmlContent"),
      files: several(given["attachment"], "attachment").map((one) => {
        const { content, name } = shaped(one, "content", "name");
        return { name: words(name, "name"), type: null, bytes: bytes(content, "content") };
      }),
      pictures: [],
    });
    return { status: 201, body: { messageId } };
  }
}

/** SendGrid v3, "Mail Send": 202 without a body. */
export class SendgridSimulator extends MailApi {
  protected readonly path = "/mail/send";
  protected readonly denied: Reply = {
    status: 401,
    body: { errors: [{ message: "The provided authorization grant is invalid, expired, or revoked", field: null, help: null }] },
  };

  #attached(given: unknown, disposition: "attachment" | "inline"): TakenFile[] {
    return several(given, "attachments").flatMap((one) => {
      const file = shaped(one, "content", "type", "filename", "disposition", "content_id?");
      if (!["attachment", "inline"].includes(words(file["disposition"], "disposition")))
        throw new Misunderstood("no disposition");
      if ((file["disposition"] === "inline") !== (file["content_id"] !== undefined))
        throw new Misunderstood("content_id is for inline");
      if (file["disposition"] !== disposition) return [];
      const name = words(file[disposition === "inline" ? "content_id" : "filename"], "filename");
      return [{ name, type: words(file["type"], "type"), bytes: bytes(file["content"], "content") }];
    });
  }

  protected keyOf(headers: Received["headers"]): string | undefined {
    return /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1];
  }

  protected take(body: unknown): Reply {
    const given = shaped(
      body,
      "personalizations",
      "from",
      "reply_to?",
      "subject",
      "content",
      "attachments?",
      "headers",
      "tracking_settings",
    );
    const { to } = shaped(oneOnly(given["personalizations"], "personalizations"), "to");
    const content = given["content"] as { type: string; value: string }[];
    if (content.map(({ type }) => type).join() !== "text/plain,text/html")
      throw new Misunderstood("text/plain must come first, then text/html");
    const headers = shaped(given["headers"], "Message-ID", "Auto-Submitted", "List-Unsubscribe?", "List-Unsubscribe-Post?");
    const tracking = shaped(given["tracking_settings"], "click_tracking", "open_tracking") as Record<string, { enable: boolean }>;
    if (Object.values(tracking).some(({ enable }) => enable !== false)) throw new Misunderstood("links would be tracked");
    const from = person(given["from"], "from");
    const [recipient, ...also] = people(to, person);
    this.taken.push({
      messageId: words(headers["Message-ID"], "Message-ID"),
      to: recipient.address,
      also: also.map(({ address }) => address),
      toName: recipient.name,
      from: from.address,
      fromName: from.name,
      replyTo: given["reply_to"] === undefined ? null : person(given["reply_to"], "reply_to").address,
      subject: words(given["subject"], "subject"),
      text: words(content[0]?.value, "text"),
      html: words(content[1]?.value, "html"),
      files: this.#attached(given["attachments"], "attachment"),
      pictures: this.#attached(given["attachments"], "inline"),
    });
    return { status: 202, headers: { "X-Message-Id": "made-up" }, body: "" };
  }
}

/** SMTP2GO v3, "Send an Email": 200 with the number of accepted recipients. */
export class Smtp2goSimulator extends MailApi {
  protected readonly path = "/email/send";
  protected readonly denied: Reply = {
    status: 401,
    body: {
      request_id: "made-up",
      data: { error: "The API Key passed was invalid", error_code: "E_ApiResponseCodes.API_EXCEPTION" },
    },
  };

  protected keyOf(headers: Received["headers"]): string | undefined {
    return headers["x-smtp2go-api-key"] as string | undefined;
  }

  #blobs(given: unknown, what: string): TakenFile[] {
    return several(given, what).map((one) => {
      const { filename, fileblob, mimetype } = shaped(one, "filename", "fileblob", "mimetype");
      return { name: words(filename, "filename"), type: words(mimetype, "mimetype"), bytes: bytes(fileblob, "fileblob") };
    });
  }

  #mailbox(value: unknown, what: string): { address: string; name: string | null } {
    const [, name, inside, bare] = /^(?:"((?:[^"\\]|\\.)*)" <([^<>]+)>|([^<>"\s]+))$/.exec(words(value, what)) ?? [];
    const address = inside ?? bare ?? "";
    if (!ADDRESS.test(address)) throw new Misunderstood(`'${what}' is no mailbox`);
    return { address, name: name?.replace(/\\(.)/g, "$1") ?? null };
  }

  protected take(body: unknown): Reply {
    const given = shaped(body, "sender", "to", "subject", "text_body", "html_body", "attachments?", "inlines?", "custom_headers");
    const headers = new Map(
      (given["custom_headers"] as unknown[]).map((one) => {
        const { header, value } = shaped(one, "header", "value");
        return [words(header, "header"), words(value, "value")];
      }),
    );
    const from = this.#mailbox(given["sender"], "sender");
    const [to, ...also] = people(given["to"], (one, what) => this.#mailbox(one, what));
    this.taken.push({
      messageId: headers.get("Message-ID") ?? "",
      to: to.address,
      also: also.map(({ address }) => address),
      toName: to.name,
      from: from.address,
      fromName: from.name,
      replyTo: headers.get("Reply-To") ?? null,
      subject: words(given["subject"], "subject"),
      text: words(given["text_body"], "text_body"),
      html: words(given["html_body"], "html_body"),
      files: this.#blobs(given["attachments"], "attachments"),
      pictures: this.#blobs(given["inlines"], "inlines"),
    });
    return {
      status: 200,
      body: { request_id: "made-up", data: { succeeded: 1 + also.length, failed: 0, failures: [], email_id: "made-up" } },
    };
  }
}
