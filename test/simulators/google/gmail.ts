import { SCOPE } from "../../../mixins/google/scopes.ts";
import type { Reply } from "../simulator.ts";
import type { GoogleRequest, GoogleSimulator } from "./google.ts";
import type { GooglePersonRecord } from "./grants.ts";
import { apiError } from "./replies.ts";

/** An attachment. */
export interface SimulatedFile {
  name: string;
  type: string;
  bytes: Buffer;
}

/** Parts of a message; omitted ones get defaults. */
export interface SimulatedMail {
  /** An id for a message that several mailboxes share; a new one by default. */
  id?: string;
  from?: string;
  to?: string;
  cc?: string;
  subject?: string | null;
  /** With angle brackets, as in the header; null for none. */
  messageId?: string | null;
  snippet?: string;
  text?: string | null;
  html?: string | null;
  files?: readonly SimulatedFile[];
  labels?: readonly string[];
  threadId?: string;
  /** Milliseconds since 1970, or a text that the provider never returns. */
  at?: number | string;
}

interface StoredMail {
  id: string;
  threadId: string;
  labelIds: string[];
  internalDate: string;
  snippet: string;
  headers: { name: string; value: string }[];
  text: string | null;
  html: string | null;
  files: readonly SimulatedFile[];
}

/** One entry of the history. */
interface Entry {
  id: number;
  message: StoredMail;
}

/** One person's mailbox. */
class Mailbox {
  readonly messages = new Map<string, StoredMail>();
  readonly history: Entry[] = [];
  readonly labels: { id: string; name: string }[] = ["INBOX", "SENT", "DRAFT", "SPAM", "TRASH"].map((id) => ({ id, name: id }));
  newest: number;
  /** Earlier history is gone. */
  keptFrom = 0;

  constructor(newest: number) {
    this.newest = newest;
  }
}

/** Default page size of the history. */
const DEFAULT_PAGE = 100;
const encoded = (bytes: Buffer | string) => Buffer.from(bytes).toString("base64url");
const notFound = () => apiError(404, "notFound", { message: "Requested entity was not found." });

/** Gmail's mailboxes by person. */
export class GmailState {
  readonly #boxes = new Map<string, Mailbox>();
  #ids = 0x18c2f00000000000n;
  /** Called after a response has been prepared. */
  onAnswer: ((request: GoogleRequest) => void) | null = null;

  clear(): void {
    this.#boxes.clear();
    this.onAnswer = null;
  }

  box({ subject }: GooglePersonRecord): Mailbox {
    let box = this.#boxes.get(subject);
    if (!box) this.#boxes.set(subject, (box = new Mailbox(1000 + this.#boxes.size * 100_000)));
    return box;
  }

  /** An id in the provider's format: 16 hexadecimal digits, unique across mailboxes. */
  id(): string {
    this.#ids += 1n;
    return this.#ids.toString(16);
  }

  /** Delivers a message to a mailbox. @returns its id */
  deliver(person: GooglePersonRecord, mail: SimulatedMail = {}): StoredMail {
    const box = this.box(person);
    const id = mail.id ?? this.id();
    const { from = "client@example.org", to = person.email, cc, subject = "Hello", messageId = `<${id}@example.org>` } = mail;
    const headers = Object.entries({ From: from, To: to, Cc: cc, Subject: subject, "Message-ID": messageId }).flatMap(
      ([name, value]) => (value === undefined || value === null || value === "" ? [] : [{ name, value }]),
    );
    const stored: StoredMail = {
      id,
      threadId: mail.threadId ?? id,
      labelIds: [...(mail.labels ?? ["INBOX"])],
      internalDate: `${mail.at ?? Date.now()}`,
      snippet: mail.snippet ?? `Snippet of ${id}`,
      headers,
      text: mail.text === undefined ? "Dear all,\n\nthe body." : mail.text,
      html: mail.html ?? null,
      files: mail.files ?? [],
    };
    box.messages.set(id, stored);
    box.newest += 3;
    box.history.push({ id: box.newest, message: stored });
    return stored;
  }

  /** Sends a draft: the provider deletes it and creates a new message with another id. */
  send(person: GooglePersonRecord, draft: StoredMail): StoredMail {
    const box = this.box(person);
    box.messages.delete(draft.id);
    const value = (name: string) => draft.headers.find((header) => header.name === name)?.value;
    return this.deliver(person, {
      labels: ["SENT"],
      threadId: draft.threadId,
      from: person.email,
      ...(value("To") && { to: value("To") as string }),
    });
  }

  /** Creates a person's own label. @returns its id */
  label(person: GooglePersonRecord, name: string): string {
    const { labels } = this.box(person);
    const id = `Label_${labels.length}`;
    labels.push({ id, name });
    return id;
  }

  /** Deletes a mailbox's history up to now. */
  forgetHistory(person: GooglePersonRecord): void {
    const box = this.box(person);
    box.newest += 10;
    box.keptFrom = box.newest;
  }

  answer(request: GoogleRequest): Reply | null {
    const reply = this.#answer(request);
    this.onAnswer?.(request);
    return reply;
  }

  #answer({ method, parts, query, person }: GoogleRequest): Reply | null {
    const [users, me, kind, id, below, belowId] = parts;
    if (method !== "GET" || users !== "users" || me !== "me") return null;
    const box = this.box(person);
    const ok = (body: object): Reply => ({ status: 200, body });
    if (kind === "profile") {
      const { size } = box.messages;
      return ok({ emailAddress: person.email, historyId: `${box.newest}`, messagesTotal: size, threadsTotal: size });
    }
    if (kind === "labels") return ok({ labels: box.labels.map((label) => ({ ...label, type: "user" })) });
    if (kind === "history") return this.#history(box, query);
    if (kind === "threads" && id !== undefined) {
      const messages = [...box.messages.values()].filter(({ threadId }) => threadId === id);
      if (messages.length === 0) return notFound();
      return ok({ id, historyId: `${box.newest}`, messages: messages.map((one) => shown(one, query)) });
    }
    if (kind !== "messages") return null;
    if (id === undefined) return this.#list(box, query);
    const message = box.messages.get(id);
    if (!message) return notFound();
    if (below === undefined) return ok(shown(message, query));
    if (below !== "attachments" || belowId === undefined) return null;
    const file = message.files[Number(belowId.replace("att-", ""))];
    return file ? ok({ data: encoded(file.bytes), size: file.bytes.length }) : notFound();
  }

  #history(box: Mailbox, query: URLSearchParams): Reply {
    const from = Number(query.get("startHistoryId"));
    if (from < box.keptFrom) return notFound();
    const size = Number(query.get("maxResults") ?? DEFAULT_PAGE);
    const at = Number(query.get("pageToken") ?? 0);
    const entries = box.history.filter((entry) => entry.id > from);
    const page = entries.slice(at, at + size);
    return {
      status: 200,
      body: {
        ...(page.length > 0 && {
          history: page.map(({ id, message: { id: messageId, threadId, labelIds } }) => ({
            id: `${id}`,
            messages: [{ id: messageId, threadId }],
            messagesAdded: [{ message: { id: messageId, threadId, labelIds } }],
          })),
        }),
        historyId: `${box.newest}`,
        ...(at + size < entries.length && { nextPageToken: `${at + size}` }),
      },
    };
  }

  /** Supports only the service's queries: a Message-ID, or all of a few words in headers. */
  #list(box: Mailbox, query: URLSearchParams): Reply {
    const q = query.get("q") ?? "";
    const size = Number(query.get("maxResults") ?? DEFAULT_PAGE);
    const header = (message: StoredMail, name: string) =>
      message.headers.find((one) => one.name === name)?.value.toLowerCase() ?? "";
    const wanted = /^rfc822msgid:(\S+)$/.exec(q)?.[1]?.toLowerCase();
    const subject = /subject:"([^"]*)"/.exec(q)?.[1]?.toLowerCase() ?? "";
    const who = /from:"?([^" )]*)/.exec(q)?.[1]?.toLowerCase() ?? "";
    const found = [...box.messages.values()]
      .filter((message) =>
        wanted === undefined
          ? header(message, "Subject").includes(subject) &&
            ["From", "To", "Cc"].some((name) => header(message, name).includes(who)) &&
            !message.labelIds.some((label) => label === "SPAM" || label === "TRASH")
          : header(message, "Message-ID").includes(wanted),
      )
      .reverse();
    const page = found.slice(0, size);
    return {
      status: 200,
      body: {
        ...(page.length > 0 && { messages: page.map(({ id, threadId }) => ({ id, threadId })) }),
        resultSizeEstimate: found.length,
        ...(found.length > size && { nextPageToken: "more" }),
      },
    };
  }
}

/** The parts of a body in format `full`. */
function partsOf(message: StoredMail): object[] {
  const { text, html, files } = message;
  const content = (mimeType: string, body: string, partId: string) => ({
    partId,
    mimeType,
    filename: "",
    headers: [{ name: "Content-Type", value: `${mimeType}; charset="UTF-8"` }],
    body: { size: Buffer.byteLength(body), data: encoded(body) },
  });
  const texts = [
    ...(text === null ? [] : [content("text/plain", text, "0.0")]),
    ...(html === null ? [] : [content("text/html", html, "0.1")]),
  ];
  const either = { partId: "0", mimeType: "multipart/alternative", filename: "", headers: [], body: { size: 0 }, parts: texts };
  return [
    ...(texts.length > 1 ? [either] : texts),
    ...files.map(({ name, type, bytes }, index) => ({
      partId: `${index + 2}`,
      mimeType: type,
      filename: name,
      headers: [{ name: "Content-Type", value: type }],
      body: { attachmentId: `att-${index}`, size: bytes.length },
    })),
  ];
}

/** A message as returned: with the requested headers, and with its body if requested. */
function shown(message: StoredMail, query: URLSearchParams): object {
  const { id, threadId, labelIds, snippet, internalDate, headers } = message;
  const isFull = query.get("format") === "full";
  const names = query.getAll("metadataHeaders").map((name) => name.toLowerCase());
  const wanted = headers.filter(({ name }) => isFull || names.length === 0 || names.includes(name.toLowerCase()));
  const payload = isFull
    ? { partId: "", mimeType: "multipart/mixed", filename: "", headers: wanted, body: { size: 0 }, parts: partsOf(message) }
    : { mimeType: "multipart/mixed", headers: wanted };
  return { id, threadId, labelIds, snippet, internalDate, historyId: "1", sizeEstimate: 1000, payload };
}

/** Adds Gmail to a simulated Google. */
export function serveGmail(google: GoogleSimulator): GmailState {
  const state = new GmailState();
  google.serve("gmail", { scopes: [SCOPE.mail], answer: (request) => state.answer(request) }, () => state.clear());
  return state;
}
